//! How fast the inspector is, against a grammar's parse and against merely touching every byte.
//!
//! In: real sources found on the machine, joined to at least 2 MB per language; a path argument adds
//! a folder to look in. Out: one table, each line with the figure asked for and PASS or BELOW. Times
//! are the best of several rounds in one run, in processor time where the system tells it, so that
//! only their ratios matter.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use salve_text::{InspectOptions, Inspector, inspect_text};
use salve_types::Language;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const WANTED: usize = 2 << 20;
const ROUNDS: usize = 7;
const STATE_LIMIT: usize = 64 * 1024;

fn main() {
    println!("peers: tree-sitter 0.27 with its Rust, TypeScript and Python grammars; a byte sum");
    let samples = [
        sample(Language::Rust, "rs", &tree_sitter_rust::LANGUAGE.into()),
        sample(Language::TypeScript, "ts", &tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        sample(Language::Python, "py", &tree_sitter_python::LANGUAGE.into()),
    ];
    println!("{:<46} {:>11} {:>11} {:>9}  verdict", "what", "ours", "peer", "ratio");
    for sample in &samples {
        speed(sample);
    }
    for sample in &samples {
        linear(sample);
    }
    state();
}

struct Sample {
    language: Language,
    text: String,
    grammar: tree_sitter::Language,
}

fn speed(sample: &Sample) {
    let name = sample.language.name();
    let options = InspectOptions { language: Some(sample.language), ..InspectOptions::default() };
    let ours = best(ROUNDS, || drop(black_box(inspect_text(&sample.text, &options))));
    let sum = best(ROUNDS, || {
        black_box(sample.text.bytes().map(u64::from).sum::<u64>());
    });
    let mut parser = tree_sitter::Parser::new();
    if parser.set_language(&sample.grammar).is_err() {
        println!("skipped: {name}: the grammar does not fit this tree-sitter");
        return;
    }
    let grammar = best(3, || drop(black_box(parser.parse(&sample.text, None))));
    let rate = sample.text.len() as f64 / ours.as_secs_f64() / 1e6;
    row(
        &format!("{name}: vs tree-sitter parse, >= 30x"),
        ours,
        grammar,
        ratio(grammar, ours),
        30.0,
    );
    let share = 100.0 * ratio(sum, ours);
    row(&format!("{name}: share of a byte sum, >= 5 %"), ours, sum, share, 5.0);
    println!("  {rate:.0} MB/s over {} bytes", sample.text.len());
}

// Twice the text in pieces of four bytes must cost about twice as much.
fn linear(sample: &Sample) {
    let options = InspectOptions { language: Some(sample.language), ..InspectOptions::default() };
    let half = sample.text[..boundary(&sample.text, WANTED / 2)].to_owned();
    let double = half.repeat(2);
    // Taking turns, so that a busy machine slows both.
    let (mut one, mut two) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        one = one.min(best(1, || drop(black_box(in_pieces(&half, &options)))));
        two = two.min(best(1, || drop(black_box(in_pieces(&double, &options)))));
    }
    let growth = ratio(two, one);
    let verdict = if growth <= 2.2 { "PASS" } else { "BELOW" };
    let what = format!("{}: twice the text at 4 bytes, <= 2.2x", sample.language.name());
    println!("{what:<46} {two:>11.2?} {one:>11.2?} {growth:>8.2}x  {verdict}");
}

// What a stream may hold, on texts made to make it hold much.
fn state() {
    let hostile: [(&str, Language, String); 6] = [
        ("[ x 1M", Language::Json, "[".repeat(1 << 20)),
        ("([{ x 300k", Language::Rust, "([{".repeat(300_000)),
        ("`${ x 300k", Language::TypeScript, "`${".repeat(300_000)),
        ("<a> x 300k", Language::Html, "<a>".repeat(300_000)),
        ("#if x 200k", Language::C, "{\n#if A\n".repeat(200_000)),
        ("try: x 100k", Language::Python, nested_tries(100_000)),
    ];
    for (name, language, text) in hostile {
        let options = InspectOptions { language: Some(language), ..InspectOptions::default() };
        let mut inspector = Inspector::new(&options);
        let mut most = 0;
        for piece in text.as_bytes().chunks(4093) {
            inspector.push(std::str::from_utf8(piece).unwrap_or_default());
            most = most.max(inspector.state_bytes());
        }
        drop(black_box(inspector.finish()));
        let verdict = if most <= STATE_LIMIT { "PASS" } else { "BELOW" };
        let what = format!("state: {name}, <= 65536 bytes");
        println!("{what:<46} {most:>11} {STATE_LIMIT:>11} {:>9}  {verdict}", "");
    }
}

fn nested_tries(count: usize) -> String {
    (0..count).map(|depth| format!("{}try:\n", " ".repeat(depth % 200))).collect()
}

fn in_pieces(text: &str, options: &InspectOptions) -> salve_types::Verdict {
    let mut inspector = Inspector::new(options);
    let mut from = 0;
    while from < text.len() {
        let to = boundary(text, from + 4);
        inspector.push(&text[from..to]);
        from = to;
    }
    inspector.finish()
}

fn row(what: &str, ours: Duration, peer: Duration, figure: f64, target: f64) {
    let verdict = if figure >= target { "PASS" } else { "BELOW" };
    println!("{what:<46} {ours:>11.2?} {peer:>11.2?} {figure:>9.1}  {verdict}");
}

fn ratio(above: Duration, below: Duration) -> f64 {
    above.as_secs_f64() / below.as_secs_f64().max(1e-9)
}

// The best time of several rounds, each long enough for the clock.
fn best(rounds: usize, mut work: impl FnMut()) -> Duration {
    let times = (0..rounds).map(|_| {
        let (start, begun) = (Instant::now(), busy());
        let mut count = 0;
        while count == 0 || start.elapsed() < Duration::from_millis(60) {
            work();
            count += 1;
        }
        let spent = match (begun, busy()) {
            (Some(begun), Some(now)) => now.saturating_sub(begun),
            _ => start.elapsed(),
        };
        spent / count
    });
    times.min().unwrap_or_default()
}

// The time this thread really ran, where the system tells it: others may use the machine too.
fn busy() -> Option<Duration> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn boundary(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

// Real sources joined, or generated ones where the machine has none; it says which.
fn sample(language: Language, ending: &str, grammar: &tree_sitter::Language) -> Sample {
    let mut text = String::new();
    for folder in folders(language) {
        let before = text.len();
        collect(&folder, ending, &mut text, 0);
        if text.len() > before {
            let shown = folder.components().next_back().map(|part| part.as_os_str().to_owned());
            let taken = text.len() - before;
            println!("{}: {taken} bytes from {:?}", language.name(), shown.unwrap_or_default());
        }
        if text.len() >= WANTED {
            break;
        }
    }
    if text.is_empty() {
        println!(
            "skipped: {}: no sources on this machine, generated ones instead",
            language.name()
        );
        text.push_str(GENERATED);
    }
    while text.len() < WANTED {
        text = text.repeat(2);
    }
    Sample { language, text, grammar: grammar.clone() }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark looks for sources on its machine")]
fn folders(language: Language) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).map(PathBuf::from).collect();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus");
    match language {
        Language::Rust => {
            let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
            folders.push(cargo.unwrap_or_else(|| home.join(".cargo")).join("registry/src"));
        }
        Language::Python => {
            let answer = std::process::Command::new("python3")
                .args(["-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"])
                .output();
            let path = answer.map(|out| String::from_utf8_lossy(&out.stdout).trim().to_owned());
            folders.extend(path.ok().filter(|path| !path.is_empty()).map(PathBuf::from));
        }
        _ => folders.push(target.join("npm")),
    }
    folders
}

fn collect(folder: &Path, ending: &str, text: &mut String, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if text.len() >= WANTED || depth > 12 {
            return;
        }
        if path.is_dir() {
            collect(&path, ending, text, depth + 1);
        } else if path.extension().is_some_and(|it| it == ending)
            && !path.to_string_lossy().ends_with(".d.ts")
            && let Ok(source) = std::fs::read_to_string(&path)
        {
            text.push_str(&source);
            text.push('\n');
        }
    }
}

const GENERATED: &str =
    "export interface Order { id: string; lines: Array<{ sku: string; count: number }> }
// Sums what was ordered; it doesn't look at prices.
export function total(orders: readonly Order[], label = `all of ${orders.length}`): number {
  const known = orders.filter((order) => /^[a-z]+\\d*$/.test(order.id) && order.lines.length > 0);
  return known.reduce((sum, order) => sum + order.lines.reduce((n, line) => n + line.count, 0), 0);
}
";
