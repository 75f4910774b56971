//! What a turn costs beside its model, and before a model is asked in a workspace of ten thousand files.
//!
//! In: a workspace made here, with real functions that call each other; or a folder and a request, as arguments
//! after `--`. Out: one table: plan and load, the map of the repository without and with its cache, each with the
//! figure asked for and PASS or BELOW, medians; for a folder that was given, the map too.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::disallowed_methods, reason = "it makes the files that it measures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot make its files ends")]
#![expect(clippy::panic, reason = "a benchmark of something else than a turn ends")]

use salve_check::Launcher;
use salve_engine::facts::TextRedactor;
use salve_engine::heal::HealParts;
use salve_engine::host::{MachineConfig, WorkspaceConfig, WorkspaceHost};
use salve_engine::knowledge::KnowledgeSettings;
use salve_engine::session::machine::{TurnMachine, TurnOptions, TurnStep};
use salve_engine::session::{
    LoadLimits, MapLimits, NewAnswer, SavedTurn, SessionFacts, TurnInput, TurnWork,
    answer_question, load_from, map_index, mentioned_words, perform, plan_by_mentions,
    repository_map, take_answer, workspace_names,
};
use salve_text::RedactOptions;
use salve_tree::Root;
use salve_types::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FILES: usize = 10_000;
const ROUNDS: usize = 7;
const TURN: Duration = Duration::from_millis(10);
const PLAN_AND_LOAD: Duration = Duration::from_millis(500);
const COLD: Duration = Duration::from_secs(1);
const WARM: Duration = Duration::from_millis(100);
const REQUEST: &str =
    "In module_0420.py the retry of `handle_77_3` is wrong, see @area_7/part_3/module_0067.py";

fn main() {
    let given: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let [folder, request] = given.as_slice() {
        let map = measure(Path::new(folder), request);
        println!("{map}");
        return;
    }
    println!("{:<52} {:>14} {:>14}  verdict", "what", "measured", "limit");
    turn();
    let folder = tempfile::tempdir().unwrap();
    let bytes = make(folder.path());
    println!("{FILES} files, {:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let map = measure(folder.path(), REQUEST);
    assert!(map.contains("handle_77_3"), "{map}");
}

fn measure(folder: &Path, request: &str) -> String {
    println!("{:<52} {:>14} {:>14}  verdict", "what", "measured", "limit");
    let root = Root::open(folder).unwrap();
    report("plan and load, 10,000 files", PLAN_AND_LOAD, || {
        let names = workspace_names(&root).unwrap();
        let plan = plan_by_mentions(request, &names);
        let loaded = load_from(&root, &names, &plan.actions, &LoadLimits::default());
        assert!(!loaded.files.is_empty() && loaded.failures.is_empty(), "{plan:?}");
    });
    let words = mentioned_words(request);
    let map = |cache: Option<&Path>| {
        let names = workspace_names(&root).unwrap();
        let index = map_index(&root, &names, &words, &MapLimits::default(), cache);
        repository_map(&index, &words, 2_000)
    };
    report("map of the repository, cold, 10,000 files", COLD, || drop(map(None)));
    let kept = tempfile::tempdir().unwrap();
    let cache = kept.path().join("one.map");
    drop(map(Some(&cache)));
    report("map of the repository, warm, 10,000 files", WARM, || drop(map(Some(&cache))));
    map(Some(&cache))
}

// All of a turn that is neither model, toolchain nor the writing of its change: its files are found and read, the
// question is made with a map of the small project, and the answer is read.
fn turn() {
    let folder = tempfile::tempdir().unwrap();
    let (root, private) = (folder.path().join("project"), folder.path().join("private"));
    std::fs::create_dir(&root).unwrap();
    let root = root.canonicalize().unwrap();
    for name in ["limit", "notes", "price", "users", "words"] {
        let text = format!("def {name}(value):\n    return value\n").repeat(40);
        std::fs::write(root.join(format!("{name}.py")), text).unwrap();
    }
    let input: TurnInput =
        serde_json::from_value(serde_json::json!({ "root": root, "session": "s", "turn": 1 }))
            .unwrap();
    let launcher = Launcher { program: "salve".into(), arguments: Vec::new() };
    let machine = MachineConfig {
        clock: || Timestamp(0),
        launcher,
        variables: BTreeMap::new(),
        temporary: folder.path().to_owned(),
        caches: None,
    };
    let content = "def limit(value):\n    return value + 1\n".repeat(40);
    let answer = serde_json::json!({
        "summary": "Raises the limit.",
        "todos": [{ "text": "Raise the limit", "completed": false }],
        "fileChanges": [{ "path": "limit.py", "content": content, "todoIndex": 0 }],
    })
    .to_string();
    report("a turn beside model, toolchain and writes", TURN, || {
        let config = WorkspaceConfig { folder: root.clone(), ..WorkspaceConfig::default() };
        let parts = HealParts {
            workspace: WorkspaceHost::new(&machine, config).unwrap(),
            environment: Vec::new(),
            lock: None,
            agents: Vec::new(),
            redact: Arc::new(TextRedactor::new(&RedactOptions::default())),
            rules: Vec::new(),
            knowledge: KnowledgeSettings::default(),
        };
        let work = TurnWork::new(parts, input.clone(), "bench", &private);
        let machine = TurnMachine::new(TurnOptions::default());
        let mut saved =
            SavedTurn::new(machine, "raise the limit in limit.py".to_owned(), Vec::new(), false);
        while let TurnStep::Plan | TurnStep::Load(_) = saved.machine.next() {
            perform(&work, &mut saved, 0, || Ok(false)).unwrap();
        }
        let TurnStep::Ask(ask) = saved.machine.next() else { panic!("{:?}", saved.machine.next()) };
        let question = answer_question(&work, &saved, &ask, &SessionFacts::default()).unwrap();
        assert!(question.prompt.contains("limit.py"));
        let new = NewAnswer {
            text: Some((answer.clone(), "id".to_owned())),
            whole: true,
            ..NewAnswer::default()
        };
        take_answer(&mut saved, new).unwrap();
        perform(&work, &mut saved, 0, || Ok(false)).unwrap();
        assert_eq!(saved.machine.next(), TurnStep::Apply);
    });
}

fn report(what: &str, limit: Duration, mut work: impl FnMut()) {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    let median = times[ROUNDS / 2];
    let verdict = if median <= limit { "PASS" } else { "BELOW" };
    println!("{what:<52} {median:>14.2?} {limit:>14.2?}  {verdict}");
}

// Modules of some forty lines each in four hundred folders; each calls functions of two others.
fn make(root: &Path) -> usize {
    let mut bytes = 0;
    for number in 0..FILES {
        let folder = root.join(format!("area_{}/part_{}", number % 20, number / 20 % 20));
        std::fs::create_dir_all(&folder).unwrap();
        let others = [number * 7 % FILES, number * 31 % FILES];
        let mut text = String::new();
        for other in others {
            let _ = writeln!(text, "from module_{other:04} import handle_{other}_0, Worker{other}");
        }
        let _ = writeln!(
            text,
            "\n\nclass Worker{number}:\n    \"\"\"Does the work of part {number}.\"\"\"\n"
        );
        for part in 0..5 {
            let other = others[part % 2];
            let _ = write!(
                text,
                "    def step_{part}(self, items, limit=10):\n        total = 0\n        for item in items[:limit]:\n            total += handle_{other}_0(item, total)\n        return total\n\n"
            );
        }
        for part in 0..4 {
            let _ = write!(
                text,
                "\ndef handle_{number}_{part}(value, total):\n    if value is None:\n        return total\n    worker = Worker{}()\n    return worker.step_{part}([value], limit=total)\n",
                others[part % 2]
            );
        }
        bytes += text.len();
        std::fs::write(folder.join(format!("module_{number:04}.py")), text).unwrap();
    }
    bytes
}
