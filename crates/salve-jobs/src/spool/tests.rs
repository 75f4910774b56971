//! The spool against a ledger that comes and goes.

use super::*;
use crate::{JobId, MemoryLedger, step_key};
use salve_types::Timestamp;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

const SOON: Duration = Duration::from_secs(30);

struct Bench {
    folder: TempDir,
    shared: MemoryLedger,
    key: CallKey,
}

impl Bench {
    fn new() -> Self {
        let shared = MemoryLedger::new(Arc::new(|| Timestamp(7)), "here");
        let key = step_key(&JobId::new("a").unwrap(), 1, 1, "x");
        Self { folder: tempfile::tempdir().unwrap(), shared, key }
    }

    async fn open(&self) -> SpooledLedger {
        let shared = Arc::new(self.shared.clone());
        SpooledLedger::open(shared, &self.path()).await.unwrap()
    }

    async fn reserve(&self, ledger: &SpooledLedger) -> Result<Reserve, LedgerError> {
        ledger.reserve(&self.key, &StepCall::default()).await
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("spool")
    }

    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<_> =
            names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn said(text: &str) -> CallResult {
    CallResult { answered: true, text: text.to_owned(), ..CallResult::default() }
}

#[tokio::test]
async fn a_result_leaves_no_file_behind_when_the_ledger_has_it() {
    let bench = Bench::new();
    let ledger = bench.open().await;
    assert!(matches!(bench.reserve(&ledger).await, Ok(Reserve::Fresh { epoch: 1, .. })));
    assert_eq!(ledger.settle(&bench.key, 1, said("x")).await, Ok(Settlement::Counted));
    assert_eq!(bench.reserve(&ledger).await, Ok(Reserve::Done(said("x"))));
    assert_eq!(bench.files(), Vec::<String>::new());
}

#[tokio::test]
async fn a_result_waits_for_a_ledger_that_is_away_and_is_found_meanwhile() {
    let bench = Bench::new();
    let ledger = bench.open().await;
    let _ = bench.reserve(&ledger).await.unwrap();
    bench.shared.cut_off(true);
    assert_eq!(ledger.settle(&bench.key, 1, said("x")).await, Ok(Settlement::Spooled));
    assert_eq!(bench.reserve(&ledger).await, Ok(Reserve::Done(said("x"))), "known on this machine");
    assert_eq!(ledger.delivered(Duration::from_millis(1)).await, 1);
    let name = bench.files().pop().unwrap();
    assert!(!name.contains('a') || name.len() > 30, "named by a hash: {name}");
    let file = bench.path().join(name);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&bench.path()), mode(&file)), (0o700, 0o600));
    bench.shared.cut_off(false);
    assert_eq!(ledger.delivered(SOON).await, 0);
    assert_eq!(bench.files(), Vec::<String>::new());
    let elsewhere = bench.shared.of_worker("elsewhere");
    let there = elsewhere.reserve(&bench.key, &StepCall::default()).await;
    assert_eq!(there, Ok(Reserve::Done(said("x"))));
}

#[tokio::test]
async fn a_result_survives_its_process() {
    let bench = Bench::new();
    let first = bench.open().await;
    let _ = bench.reserve(&first).await.unwrap();
    bench.shared.cut_off(true);
    assert_eq!(first.settle(&bench.key, 1, said("x")).await, Ok(Settlement::Spooled));
    drop(first);
    bench.shared.declare_gone("here");
    bench.shared.cut_off(false);
    let second = bench.open().await;
    assert_eq!(bench.reserve(&second).await, Ok(Reserve::Done(said("x"))));
    assert_eq!(second.delivered(SOON).await, 0);
    assert_eq!(bench.files(), Vec::<String>::new());
    assert_eq!(bench.shared.late(), []);
}

#[tokio::test]
async fn a_take_over_finds_what_the_dead_process_had_paid_for() {
    let bench = Bench::new();
    let first = bench.open().await;
    let _ = bench.reserve(&first).await.unwrap();
    bench.shared.cut_off(true);
    let _ = first.settle(&bench.key, 1, said("x")).await.unwrap();
    drop(first);
    let second = bench.open().await;
    bench.shared.declare_gone("here");
    bench.shared.cut_off(false);
    let taken = second.take_over(&bench.key, &StepCall::default()).await;
    assert_eq!(taken, Ok(Reserve::Done(said("x"))));
}

#[tokio::test]
async fn a_result_that_comes_too_late_is_written_down_and_not_used() {
    let bench = Bench::new();
    let here = bench.open().await;
    let _ = bench.reserve(&here).await.unwrap();
    bench.shared.cut_off(true);
    let _ = here.settle(&bench.key, 1, said("late")).await.unwrap();
    drop(here);
    bench.shared.cut_off(false);
    bench.shared.declare_gone("here");
    let elsewhere = bench.shared.of_worker("elsewhere");
    let _ = elsewhere.take_over(&bench.key, &StepCall::default()).await.unwrap();
    let here = bench.open().await;
    let busy = bench.reserve(&here).await.unwrap();
    assert!(matches!(busy, Reserve::InDoubt { alive: true, .. }), "{busy:?}");
    let _ = elsewhere.settle(&bench.key, 2, said("theirs")).await.unwrap();
    assert_eq!(bench.reserve(&here).await, Ok(Reserve::Done(said("theirs"))));
    assert_eq!(here.delivered(SOON).await, 0);
    assert_eq!(bench.shared.late(), [(bench.key.clone(), said("late"))]);
}

#[tokio::test]
async fn without_ledger_and_result_there_is_no_leave() {
    let bench = Bench::new();
    let ledger = bench.open().await;
    bench.shared.cut_off(true);
    assert!(matches!(bench.reserve(&ledger).await, Err(LedgerError::Unreachable(_))));
}

#[tokio::test]
async fn half_written_files_are_reported_and_not_used() {
    let bench = Bench::new();
    let ledger = bench.open().await;
    let _ = bench.reserve(&ledger).await.unwrap();
    bench.shared.cut_off(true);
    let _ = ledger.settle(&bench.key, 1, said("x")).await.unwrap();
    drop(ledger);
    let whole = bench.files().pop().unwrap();
    let text = fs::read(bench.path().join(&whole)).unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true);
        file = file.append(false);
        file.open(bench.path().join(name)).unwrap().write_all(bytes).unwrap();
    };
    let hostile: [(&str, &[u8]); 5] = [
        ("0.part", &text[..text.len() / 2]),
        ("1.call", &text[..text.len() - 1]),
        ("2.call", b""),
        ("3.call", b"\xff\xfe\0\n{}"),
        ("4.call", b"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262\n"),
    ];
    for (name, bytes) in hostile {
        put(name, bytes);
    }
    put("something else", b"not ours");
    let ledger = bench.open().await;
    assert_eq!(ledger.damaged(), hostile.map(|(name, _)| name));
    assert_eq!(ledger.waiting(), 1);
    assert!(bench.files().contains(&"0.part.unused".to_owned()));
    bench.shared.cut_off(false);
    assert_eq!(ledger.delivered(SOON).await, 0);
    assert_eq!(bench.reserve(&ledger).await, Ok(Reserve::Done(said("x"))));
}

#[tokio::test]
async fn a_ledger_that_lost_a_call_gets_it_again() {
    let bench = Bench::new();
    let ledger = bench.open().await;
    let _ = bench.reserve(&ledger).await.unwrap();
    bench.shared.cut_off(true);
    let _ = ledger.settle(&bench.key, 1, said("x")).await.unwrap();
    drop(ledger);
    let restored = MemoryLedger::new(Arc::new(|| Timestamp(7)), "here");
    restored.cut_off(true);
    let ledger = SpooledLedger::open(Arc::new(restored.clone()), &bench.path()).await.unwrap();
    restored.cut_off(false);
    assert_eq!(bench.reserve(&ledger).await, Ok(Reserve::Done(said("x"))));
    let there = restored.reserve(&bench.key, &StepCall::default()).await;
    assert_eq!(there, Ok(Reserve::Done(said("x"))));
}
