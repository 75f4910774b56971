//! Lines that lexers get wrong.
//!
//! In: a seed. Out: as many lines as wanted, the same for the same seed. Never only well-formed
//! ones: one in three may hold anything, and is mostly outside the subset.

/// A small generator of numbers (xorshift64*).
pub(crate) struct Random {
    state: u64,
    /// Whether the present line may hold what is outside the subset.
    is_wild: bool,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, is_wild: false }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let number = self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).expect("31 bits") % limit
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }

    // One of the first items, or of all of them in a wild line.
    fn pick_tame<'a>(&mut self, tame: &[&'a str], wild: &[&'a str]) -> &'a str {
        if self.is_wild && self.one_in(5) { self.pick(wild) } else { self.pick(tame) }
    }

    fn one_in(&mut self, limit: usize) -> bool {
        self.below(limit) == 0
    }
}

/// The programs that lines call; those that begin with `no` fail.
pub(crate) const NAMES: &[&str] =
    &["echo", "ls", "cat", "git", "pwd", "printf", "test", "x", "no", "nope", "a.b", "g++", "7z"];

/// Makes one line.
pub(crate) fn line(random: &mut Random) -> String {
    random.is_wild = random.one_in(3);
    let mut line = random.pick(&["", "", "", " ", "\t"]).to_owned();
    let commands = 1 + random.below(4);
    for index in 0..commands {
        if index > 0 {
            line.push_str(random.pick(&["", " ", "  "]));
            line.push_str(random.pick_tame(&["&&", "||", ";", "|"], &["&", "|&", ";;", "&;"]));
            line.push_str(random.pick(&["", " ", "\t"]));
        }
        command(random, &mut line);
    }
    line.push_str(random.pick_tame(&["", "", " ", ";", " ; "], &[";;", "\\", "#", "&", "|"]));
    line
}

fn command(random: &mut Random, line: &mut String) {
    if random.one_in(12) {
        redirect(random, line);
        line.push_str(random.pick(&[" ", "", "\t"]));
    }
    if random.is_wild && random.one_in(8) {
        line.push_str(random.pick(&["A=b ", "! ", "time ", "\\", "''", "{ ", "./"]));
    }
    line.push_str(random.pick(NAMES));
    for _ in 0..random.below(5) {
        line.push_str(random.pick(&[" ", " ", " ", "  ", "\t", " \t"]));
        if random.one_in(5) {
            redirect(random, line);
        } else {
            word(random, line);
        }
    }
    if random.one_in(4) {
        line.push_str(random.pick(&["", " "]));
        redirect(random, line);
    }
}

fn redirect(random: &mut Random, line: &mut String) {
    let number =
        random.pick_tame(&["", "", "", "1", "2", "0"], &["3", "12", "a", "\"2\"", "\\1", "02"]);
    line.push_str(number);
    let operator = random.pick_tame(
        &[">", ">>", "<", ">&", "<&", "&>", "&>>", "2>&1", ">&2", "1>&2"],
        &[">|", "<>", "<<<", "<<", ">>>", ">&>", "<<-"],
    );
    line.push_str(operator);
    if operator.ends_with(['1', '2']) {
        return;
    }
    line.push_str(random.pick(&["", "", " ", "  ", "\t"]));
    if operator.ends_with(">&") || operator.ends_with("<&") {
        line.push_str(random.pick_tame(&["1", "2", "0"], &["-", "x", "1x", "\"1\"", "3", "1-"]));
    } else if random.one_in(6) {
        word(random, line);
    } else {
        line.push_str(random.pick(&[
            "out",
            "a.txt",
            "/dev/null",
            "sub/new",
            "missing/x",
            "'b c'",
            "b\\ c",
            "\"out\"",
            "sub",
            "o'u't",
            "é.txt",
        ]));
    }
}

fn word(random: &mut Random, line: &mut String) {
    for _ in 0..=random.below(4) {
        match random.below(12) {
            0 => single_quoted(random, line),
            1 | 2 => double_quoted(random, line),
            3 => {
                line.push('\\');
                line.push_str(random.pick(&[
                    " ", "\\", "'", "\"", "$", "*", "?", "[", "a", ";", "&", "|", ">", "<", "(",
                    "{", "~", "#", "!", "é", "`", "\t",
                ]));
            }
            4 => line.push_str(random.pick_tame(PATTERNS, ODD_PATTERNS)),
            5 if random.is_wild => line.push_str(random.pick(ODD)),
            _ => line.push_str(random.pick(PLAIN)),
        }
    }
}

fn single_quoted(random: &mut Random, line: &mut String) {
    line.push('\'');
    for _ in 0..random.below(4) {
        line.push_str(
            random.pick(&["a", " ", "\\", "\"", "$x", "`id`", "*", "; ", "é", "!!", "#", "\t"]),
        );
    }
    line.push_str(if random.is_wild && random.one_in(20) { "" } else { "'" });
}

fn double_quoted(random: &mut Random, line: &mut String) {
    line.push('"');
    for _ in 0..random.below(5) {
        line.push_str(random.pick_tame(
            &[
                "a", " ", "'", "\\\\", "\\\"", "\\$", "\\`", "\\a", "\\n", "\\'", "\\*", "*", "; ",
                "é", "✅", "$ ", "$|", "! ", "#", "~", "{a,b}", "[", "\t", "$)", "\\ ", ">", "&&",
            ],
            &["!a", "\\!", "$a", "`", "$(", "\"", "$"],
        ));
    }
    line.push_str(if random.is_wild && random.one_in(20) { "" } else { "\"" });
}

const PLAIN: &[&str] = &[
    "a",
    "b",
    "-n",
    "--x=y",
    "src",
    "1",
    "2",
    "10",
    "a.txt",
    "sub/",
    "/",
    ".",
    "-",
    "=",
    ":",
    ",",
    "@",
    "%",
    "+",
    "^",
    "]",
    "é",
    "漢",
    "HEAD~1",
    "a#b",
    "x=1",
    "-e",
    "\u{1f600}",
    "ß",
    "_",
    "A+=b",
    "a!",
    "b~",
];

const PATTERNS: &[&str] = &[
    "*",
    "?",
    "*.txt",
    "a*",
    "[ab]*",
    "[!a]*",
    "[^a]?",
    "[a-c]",
    "[[:alpha:]]*",
    "[]a]*",
    ".*",
    "sub/*",
    "*/",
    "*/*",
    "*/x",
    "su?/x",
    "./*",
    "**",
    "*é*",
    "[é]*",
    "?.txt",
    "*/./*",
    "*a*b*",
    "[z-a]",
    "*/.",
    "*/*/",
    ".?*",
    "su[b]/x",
    "[[:upper:][:digit:]]*",
    "*[!a-z]",
    "*\\ *",
    "link/*",
    "*/deep/x",
    "dangl*",
    "dangl*/",
    "[a-]*",
];

const ODD_PATTERNS: &[&str] =
    &["sub//*", "/dev/nul?", "[a-", "[", "a[b", "[[.a.]]", "[!", "[a/b]", "//dev/nul?", "[[:no:]]"];

const ODD: &[&str] = &[
    "~", "~/x", "a~", "{", "}", "{a,b}", "(", ")", "$", "$x", "`", "#", "!", "!a", "!=", "a!",
    "=~", ":~", "x=~", "\u{a0}", "<(", "$(", "@(a)", "?(a)", "!(a)", "$'a'", "$\"a\"",
];
