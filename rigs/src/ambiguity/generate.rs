//! Files full of copies, hunks for one of them, and what happened to the file since.
//!
//! In: a seed and a number. Out: a case whose truth is known because every line carries the number it
//! was born with. Never: a call of the matcher.

use crate::corpus::Random;
use salve_types::{Hunk, HunkBody, HunkLine, LineKind, Occurrence, Span};

/// A hunk, the file it meets, and the only right result.
pub(crate) struct Case {
    /// What happened to the file since the hunk was written.
    pub(crate) kind: Kind,
    /// The file as it is.
    pub(crate) file: String,
    /// The hunks.
    pub(crate) hunks: Vec<Hunk>,
    /// The text when they land where they were meant; nothing when that place is gone.
    pub(crate) expected: Option<String>,
    /// Whether the matcher is told that the file is the one the hunk was written against.
    pub(crate) base_known: bool,
    /// Whether the scored rung is allowed.
    pub(crate) scored: bool,
}

/// What happened to a file since a hunk was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Nothing,
    Shifted,
    CopyAbove,
    CopyBelow,
    NeighboursRenamed,
    NeighboursEdited,
    FunctionsMoved,
    TargetEdited,
    TargetRemoved,
    TargetEditedAndShifted,
    OthersRemoved,
    Mixed,
}

impl Kind {
    /// Lists every kind.
    pub(crate) const ALL: &[Self] = &[
        Self::Nothing,
        Self::Shifted,
        Self::CopyAbove,
        Self::CopyBelow,
        Self::NeighboursRenamed,
        Self::NeighboursEdited,
        Self::FunctionsMoved,
        Self::TargetEdited,
        Self::TargetRemoved,
        Self::TargetEditedAndShifted,
        Self::OthersRemoved,
        Self::Mixed,
    ];

    /// Says it in words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Shifted => "lines came in above",
            Self::CopyAbove => "a copy came in above",
            Self::CopyBelow => "a copy came in below",
            Self::NeighboursRenamed => "functions were renamed",
            Self::NeighboursEdited => "lines around were edited",
            Self::FunctionsMoved => "functions changed places",
            Self::TargetEdited => "the target was edited",
            Self::TargetRemoved => "the target was removed",
            Self::TargetEditedAndShifted => "the target was edited and shifted",
            Self::OthersRemoved => "other functions were removed",
            Self::Mixed => "several of these",
        }
    }
}

#[derive(Clone)]
struct Line {
    born: usize,
    text: String,
}

type Function = Vec<Line>;

/// Makes a case.
pub(crate) fn generate(seed: u64, number: usize) -> Case {
    let mut random = Random::new(seed).for_name(&number.to_string());
    let kind = Kind::ALL[number % Kind::ALL.len()];
    let mut maker = Maker { random: random.clone(), born: 0 };
    let base = maker.functions();
    let goals = maker.goals(&base);
    let numbers_needed = goals.iter().any(|goal| !goal.unique);
    let mut file = base.clone();
    // A copy that only a number or a heading told apart is edited, but never removed whole.
    let kind = if numbers_needed && kind == Kind::TargetRemoved { Kind::Shifted } else { kind };
    maker.change(&mut file, kind, &goals);
    let base_known = kind == Kind::Nothing && random.below(2) == 0;
    let hunks = goals.iter().map(|goal| goal.hunk.clone()).collect();
    // Likelihood is for files that did not move on: who allows it on others accepts mistakes.
    let scored = base_known && random.below(2) == 0;
    Case { kind, expected: expected(&file, &goals), file: joined(&file), hunks, base_known, scored }
}

/// One hunk and where it belongs.
struct Goal {
    hunk: Hunk,
    function: usize,
    // Lines that go away or, for an insertion, the line that the new ones follow; by birth.
    born: Vec<usize>,
    inserts: bool,
    new: Vec<String>,
    // The lines sought stand in the base once.
    unique: bool,
}

struct Maker {
    random: Random,
    born: usize,
}

const BODIES: &[&str] = &[
    "    let total = items.iter().sum();",
    "    let count = items.len();",
    "    if count == 0 {",
    "        return None;",
    "    }",
    "    log(\"started\");",
    "    let rate = total / count;",
    "    for item in items {",
    "        check(item);",
    "    total",
    "    Some(rate)",
    "    cache.insert(key, total);",
];

impl Maker {
    fn line(&mut self, text: &str) -> Line {
        self.born += 1;
        Line { born: self.born, text: text.to_owned() }
    }

    // Some functions, of which several have the same body, some even the same name.
    fn functions(&mut self) -> Vec<Function> {
        let bodies: Vec<Vec<&str>> = (0..1 + self.random.below(3)).map(|_| self.body()).collect();
        let count = 3 + self.random.below(8);
        let names = 1 + self.random.below(count);
        (0..count)
            .map(|number| {
                let body = &bodies[self.random.below(bodies.len())];
                let name =
                    if self.random.below(4) == 0 { self.random.below(names) } else { number };
                let mut function = vec![self.line(&format!("fn step_{name}(items: &[u32]) {{"))];
                function.extend(body.iter().map(|text| self.line(text)).collect::<Vec<_>>());
                function.push(self.line("}"));
                function.push(self.line(""));
                function
            })
            .collect()
    }

    fn body(&mut self) -> Vec<&'static str> {
        (0..2 + self.random.below(6)).map(|_| BODIES[self.random.below(BODIES.len())]).collect()
    }

    fn goals(&mut self, base: &[Function]) -> Vec<Goal> {
        let wanted = 1 + self.random.below(3);
        let style = self.random.below(4);
        let mut functions: Vec<usize> = (0..base.len()).collect();
        self.random.shuffle(&mut functions);
        functions.truncate(wanted);
        functions.sort_unstable();
        let mut goals = Vec::new();
        for function in functions {
            goals.extend(self.goal(base, function, style));
        }
        if goals.is_empty() {
            // A header that is the only one tells its place by itself.
            let unique = (0..base.len()).find_map(|function| self.goal(base, function, 0));
            goals.extend(unique);
        }
        goals
    }

    // A hunk for one function that tells its place in the base: by its lines alone, by its line
    // number or by its heading.
    fn goal(&mut self, base: &[Function], function: usize, style: usize) -> Option<Goal> {
        let lines: Vec<&Line> = base.iter().flatten().collect();
        let start: usize = base[..function].iter().map(Vec::len).sum();
        let length = base[function].len() - 1;
        let target = start + 1 + self.random.below(length.saturating_sub(2).max(1));
        let removed = 1 + self.random.below(2.min(start + length - target).max(1));
        let (above, below) = (self.random.below(4), self.random.below(4));
        // Context stays inside the function. Beyond it, which of two equal neighbours came or went
        // would be a question of words.
        let from = target.saturating_sub(above).max(start);
        let to = (target + removed + below).min(start + length);
        let sought: Vec<&str> = lines[from..to].iter().map(|line| line.text.as_str()).collect();
        let places = places(&lines, &sought);
        let inserts = style != 3 && self.random.below(4) == 0;
        let number = self.random.below(1000);
        let new: Vec<String> = (0..1 + self.random.below(2))
            .map(|more| format!("    let fresh_{number}_{more} = compute({number});"))
            .collect();
        let deletes = !inserts && self.random.below(5) == 0;
        let new = if deletes { vec![] } else { new };
        let heading = base[function][0].text.clone();
        let headings = lines.iter().filter(|line| line.text == heading).count();
        let told = match style {
            // A line number tells; a heading tells when it is the only such heading and the lines
            // stand in its function once.
            1 => true,
            2 => headings == 1 && from > start && within(base, function, &sought) == 1,
            _ => places == 1,
        };
        if !told || sought.iter().all(|line| line.trim().is_empty()) {
            return None;
        }
        let old = lines[from..to].to_vec();
        let removed = target - from..target - from + removed;
        let body = if style == 3 {
            block(&old, &removed, &new)
        } else {
            diff(&old, &removed, &new, inserts)
        };
        let hunk = Hunk {
            body,
            hint: (style == 1).then_some(from as u32 + 1),
            anchors: if style == 2 { vec![heading] } else { vec![] },
            occurrence: Occurrence::One,
            at_end: false,
            span: Span { start: 0, end: 0 },
        };
        let born = if inserts { vec![old[removed.start].born] } else { born(&old[removed]) };
        Some(Goal { hunk, function, born, inserts, new, unique: places == 1 })
    }

    fn change(&mut self, file: &mut Vec<Function>, kind: Kind, goals: &[Goal]) {
        let Some(goal) = goals.first() else { return };
        let at = goal.function;
        match kind {
            Kind::Nothing => {}
            Kind::Shifted => self.insert_lines(file, at),
            Kind::CopyAbove => self.copy(file, at, 0),
            Kind::CopyBelow => self.copy(file, at, 1),
            Kind::NeighboursRenamed => self.rename(file),
            Kind::NeighboursEdited => self.edit_around(file, goals),
            Kind::FunctionsMoved => {
                let (a, b) = (self.random.below(file.len()), self.random.below(file.len()));
                // Equal functions that change places did not move.
                if texts(&file[a]) != texts(&file[b]) {
                    file.swap(a, b);
                }
            }
            Kind::TargetEdited => self.edit_target(file, goal),
            Kind::TargetRemoved => drop(file.remove(at)),
            Kind::TargetEditedAndShifted => {
                self.edit_target(file, goal);
                self.insert_lines(file, at);
            }
            Kind::OthersRemoved => {
                let targets: Vec<usize> = goals.iter().map(|goal| goal.function).collect();
                let other = self.random.below(file.len());
                if !targets.contains(&other) && file.len() > 1 {
                    file.remove(other);
                }
            }
            Kind::Mixed => {
                self.edit_around(file, goals);
                self.rename(file);
                self.insert_lines(file, at);
            }
        }
    }

    fn insert_lines(&mut self, file: &mut Vec<Function>, before: usize) {
        let at = self.random.below(before + 1);
        let count = 1 + self.random.below(12);
        let lines = (0..count).map(|number| self.line(&format!("// note {number}"))).collect();
        file.insert(at, lines);
    }

    fn copy(&mut self, file: &mut Vec<Function>, at: usize, behind: usize) {
        let texts: Vec<String> = file[at].iter().map(|line| line.text.clone()).collect();
        let copy = texts.iter().map(|text| self.line(text)).collect();
        file.insert(at + behind, copy);
    }

    fn rename(&mut self, file: &mut [Function]) {
        for function in file {
            if self.random.below(2) == 0 {
                let number = self.random.below(100);
                if let Some(line) = function.first_mut() {
                    line.text = format!("fn renamed_{number}(items: &[u32]) {{");
                }
            }
        }
    }

    fn edit_around(&mut self, file: &mut [Function], goals: &[Goal]) {
        let targets: Vec<usize> = goals.iter().flat_map(|goal| goal.born.clone()).collect();
        for line in file.iter_mut().flatten() {
            if !targets.contains(&line.born) && self.random.below(6) == 0 && line.text.len() > 4 {
                line.text = format!("{} // seen", line.text);
            }
        }
    }

    fn edit_target(&mut self, file: &mut [Function], goal: &Goal) {
        let number = self.random.below(100);
        for line in file.iter_mut().flatten() {
            if goal.born.contains(&line.born) {
                line.text = format!("    let edited_{number} = other({number});");
                line.born = 0;
            }
        }
    }
}

fn texts(function: &[Line]) -> Vec<&str> {
    function.iter().map(|line| line.text.as_str()).collect()
}

fn places(lines: &[&Line], sought: &[&str]) -> usize {
    let same = |window: &&[&Line]| window.iter().zip(sought).all(|(line, text)| line.text == *text);
    lines.windows(sought.len()).filter(same).count()
}

fn within(base: &[Function], function: usize, sought: &[&str]) -> usize {
    // The lines may reach into the function below, but must begin in this one.
    let lines: Vec<&Line> = base[function..].iter().flatten().collect();
    let same = |window: &&[&Line]| window.iter().zip(sought).all(|(line, text)| line.text == *text);
    lines.windows(sought.len()).take(base[function].len()).filter(same).count()
}

fn born(lines: &[&Line]) -> Vec<usize> {
    lines.iter().map(|line| line.born).collect()
}

fn diff(
    old: &[&Line],
    removed: &std::ops::Range<usize>,
    new: &[String],
    inserts: bool,
) -> HunkBody {
    let mut lines = Vec::new();
    for (at, line) in old.iter().enumerate() {
        let gone = removed.contains(&at) && !inserts;
        let kind = if gone { LineKind::Remove } else { LineKind::Context };
        lines.push(HunkLine { kind, text: line.text.clone(), no_newline: false });
        let last = if inserts { removed.start } else { removed.end - 1 };
        if at == last {
            let added = new.iter().cloned();
            lines.extend(added.map(|text| HunkLine {
                kind: LineKind::Add,
                text,
                no_newline: false,
            }));
        }
    }
    HunkBody::Lines(lines)
}

fn block(old: &[&Line], removed: &std::ops::Range<usize>, new: &[String]) -> HunkBody {
    let text = |lines: &[&Line]| lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    let after = [&text(&old[..removed.start])[..], new, &text(&old[removed.end..])].concat();
    HunkBody::Block { old: text(old), new: after }
}

// The file with every goal reached; nothing when a line that a goal is about is gone.
fn expected(file: &[Function], goals: &[Goal]) -> Option<String> {
    let mut out = Vec::new();
    let mut reached = 0;
    for line in file.iter().flatten() {
        let goal = goals.iter().find(|goal| goal.born.contains(&line.born));
        let Some(goal) = goal else {
            out.push(line.text.clone());
            continue;
        };
        reached += 1;
        if goal.inserts {
            out.push(line.text.clone());
        }
        if goal.inserts || goal.born.first() == Some(&line.born) {
            out.extend(goal.new.iter().cloned());
        }
    }
    let all: usize = goals.iter().map(|goal| goal.born.len()).sum();
    (reached == all).then(|| out.iter().map(|line| format!("{line}\n")).collect())
}

fn joined(file: &[Function]) -> String {
    file.iter().flatten().map(|line| format!("{}\n", line.text)).collect()
}
