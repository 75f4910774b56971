var emoji = "😀"; var unused = 1;
let answer = 42;
if (answer == emoji) { undefinedName("\d"); }
