const s = "😀"; let let = 1;
