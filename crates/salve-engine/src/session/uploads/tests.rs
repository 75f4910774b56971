//! Uploads against the simulated provider, with a clock that is moved by hand.

use super::*;
use crate::facts::TextRedactor;
use crate::jobs::ModelSource;
use crate::session::load::OmitCode;
use salve_model::sim::{Script, SimHandle, SimServer};
use salve_model::{
    Budget, BudgetLevel, BudgetLimits, Consumption, HttpClientOptions, Lineup, LineupParts,
    ModelSettings, RetryPolicy, http_client,
};
use salve_store::{Store, StoreOptions, UploadRecord, UploadState};
use salve_text::RedactOptions;
use salve_tree::{ContentHash, Root};
use salve_types::{Clock, SessionId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

struct Bench {
    sim: SimHandle,
    store: Store,
    desk: UploadDesk,
    now: Arc<AtomicI64>,
}

impl Bench {
    async fn new() -> Self {
        let script = Script::of_text("x");
        let sim = SimServer::start(script, ([127, 0, 0, 1], 0).into()).await.unwrap();
        let now = Arc::new(AtomicI64::new(1_000_000));
        let hand = Arc::clone(&now);
        let clock: Arc<dyn Clock> = Arc::new(move || Timestamp(hand.load(Ordering::SeqCst)));
        let redactor = Arc::new(TextRedactor::new(&RedactOptions::default()));
        let options = StoreOptions::new(Arc::clone(&clock), redactor, "test");
        let store = Store::memory(options).await.unwrap();
        let models: Arc<dyn ModelSource> = Arc::new(lineup(&sim.url()));
        let desk = UploadDesk::new(store.clone(), models, clock);
        Self { sim, store, desk, now }
    }

    fn pass_hours(&self, hours: i64) {
        self.now.fetch_add(hours * HOUR_MS, Ordering::SeqCst);
    }

    async fn upload(&self, session: &str, file: &LocalFile, ttl: FileTtl) -> UploadRecord {
        self.desk.upload_file(&place(session), file, ttl).await.unwrap()
    }

    fn names(&self) -> Vec<String> {
        let files = self.sim.files();
        files.iter().map(|file| String::from_utf8(file.bytes.to_vec()).unwrap()).collect()
    }

    fn uploads(&self) -> u64 {
        self.sim.calls().uploads
    }
}

fn lineup(url: &str) -> Lineup {
    let settings = format!(
        "[[provider]]\nname = 'sim'\ndialect = 'chat'\nbase_url = '{url}'\nfiles = true\n\
         [roles]\nmodel = 'sim/grok-4'"
    );
    let settings: ModelSettings = toml::from_str(&settings).unwrap();
    let none = Consumption::default();
    let clock = Arc::new(|| Timestamp(0));
    Lineup::new(LineupParts {
        settings: &settings,
        keys: BTreeMap::new(),
        client: http_client(&HttpClientOptions::default()).unwrap(),
        budget: Budget::new(BudgetLevel::Run, BudgetLimits::default(), none, clock),
        retry: RetryPolicy::default(),
    })
    .unwrap()
}

fn id(session: &str) -> SessionId {
    SessionId(session.to_owned())
}

fn place(session: &str) -> UploadPlace {
    let workspace = "/w".to_owned();
    UploadPlace { session: id(session), workspace, provider: "sim".to_owned() }
}

fn file(path: &str, text: &str) -> LocalFile {
    LocalFile {
        path: path.to_owned(),
        text: text.to_owned(),
        hash: ContentHash::of(text.as_bytes()).hex(),
        size: text.len() as u64,
    }
}

#[test]
fn c131_the_settings_have_the_defaults_of_the_documents() {
    let settings = UploadSettings::default();
    assert!(!settings.on && settings.auto && settings.cleanup);
    assert_eq!(settings.max_bytes, 10 * 1024 * 1024);
    assert_eq!(settings.ttl.hours(), 24);
    assert_eq!(salve_model::MOST_FILE_BYTES, 48 * 1024 * 1024);
    for hours in [0, 1, 24, -1] {
        assert_eq!(FileTtl::from_hours(hours).map(FileTtl::hours), Some(hours));
    }
    assert_eq!(FileTtl::from_hours(-2), None);
}

#[tokio::test]
async fn c132_a_time_of_zero_deletes_when_another_session_begins() {
    let bench = Bench::new().await;
    let kept = bench.upload("one", &file("a.rs", "a"), FileTtl::Session).await;
    bench.pass_hours(1000);
    let same = bench.desk.clean_up(Some(&id("one"))).await.unwrap();
    assert!(same.deleted.is_empty() && !needs_rehydration(&kept, bench.desk.now()));
    let other = bench.desk.clean_up(Some(&id("two"))).await.unwrap();
    assert_eq!(other.deleted, [kept]);
    assert_eq!(bench.names(), [""; 0]);
}

#[tokio::test]
async fn c132_leaving_a_session_deletes_at_once_or_starts_the_hours() {
    let bench = Bench::new().await;
    bench.upload("one", &file("a.rs", "a"), FileTtl::Session).await;
    bench.upload("two", &file("b.rs", "b"), FileTtl::Hours(24)).await;
    bench.pass_hours(20);
    let of = |ttl| UploadSettings { ttl, ..UploadSettings::default() };
    let left = bench.desk.leave_session(&id("one"), &of(FileTtl::Session)).await.unwrap();
    assert_eq!((left.deleted.len(), bench.names()), (1, vec!["b".to_owned()]));
    bench.desk.leave_session(&id("two"), &of(FileTtl::Hours(24))).await.unwrap();
    bench.pass_hours(23);
    assert_eq!(bench.desk.expired_files_global().await.unwrap(), [], "24 hours from leaving");
    bench.pass_hours(1);
    assert_eq!(bench.desk.expired_files_global().await.unwrap().len(), 1);
}

#[tokio::test]
async fn c132_hours_end_for_all_sessions_when_any_is_loaded() {
    let bench = Bench::new().await;
    bench.upload("one", &file("a.rs", "a"), FileTtl::Hours(24)).await;
    bench.upload("two", &file("b.rs", "b"), FileTtl::Hours(48)).await;
    bench.pass_hours(23);
    assert!(bench.desk.clean_up(Some(&id("three"))).await.unwrap().deleted.is_empty());
    bench.pass_hours(2);
    let cleaned = bench.desk.clean_up(Some(&id("three"))).await.unwrap();
    assert_eq!(cleaned.deleted.len(), 1);
    assert_eq!(bench.names(), ["b"]);
}

#[tokio::test]
async fn c132_never_is_never_and_so_is_a_cleanup_that_is_off() {
    let bench = Bench::new().await;
    let off = UploadSettings { cleanup: false, ..UploadSettings::default() };
    bench.upload("one", &file("a.rs", "a"), FileTtl::Never).await;
    bench.upload("one", &file("b.rs", "b"), off.effective_ttl()).await;
    bench.desk.leave_session(&id("one"), &off).await.unwrap();
    bench.pass_hours(24 * 365 * 20);
    assert!(bench.desk.clean_up(Some(&id("two"))).await.unwrap().deleted.is_empty());
    assert_eq!(bench.names(), ["a", "b"]);
}

#[tokio::test]
async fn c133_after_25_hours_a_file_is_uploaded_again_and_after_one_it_is_not() {
    let bench = Bench::new().await;
    let (day, local) = (FileTtl::Hours(24), file("a.rs", "a"));
    let first = bench.upload("one", &local, day).await;
    bench.pass_hours(1);
    let same = bench.desk.rehydrate_file(&first, &local, day).await.unwrap();
    assert_eq!((&same, bench.uploads()), (&first, 1));
    bench.pass_hours(24);
    assert!(needs_rehydration(&first, bench.desk.now()));
    let again = bench.desk.rehydrate_file(&first, &local, day).await.unwrap();
    assert_ne!(again.file_id, first.file_id);
    assert_eq!((bench.uploads(), bench.names()), (2, vec!["a".to_owned()]), "the old one is gone");
    let changed = bench.desk.rehydrate_file(&again, &file("a.rs", "b"), day).await.unwrap();
    assert_ne!(changed.hash, again.hash);
    assert_eq!(bench.names(), ["b"]);
}

#[tokio::test]
async fn c133_a_file_that_the_provider_lost_is_uploaded_again() {
    let bench = Bench::new().await;
    let local = file("a.rs", "a");
    let first = bench.upload("one", &local, FileTtl::Never).await;
    assert!(bench.desk.file_exists(&first).await.unwrap());
    let id = first.file_id.as_deref().unwrap();
    assert!(at_provider(&bench).delete(id).await.unwrap());
    assert!(!bench.desk.file_exists(&first).await.unwrap());
    let again = bench.desk.rehydrate_file(&first, &local, FileTtl::Never).await.unwrap();
    assert!(bench.desk.file_exists(&again).await.unwrap());
}

#[tokio::test]
async fn c134_a_record_has_the_fields_of_the_documents() {
    let bench = Bench::new().await;
    let record = bench.upload("one", &file("src/a.rs", "abc"), FileTtl::Hours(24)).await;
    let document = upload_document(&record);
    assert_eq!(document["fileId"], "file-sim-1");
    assert_eq!(document["localPath"], "/w/src/a.rs");
    assert_eq!(document["filename"], "a.rs");
    assert_eq!(document["size"], 3);
    assert_eq!(document["hash"], ContentHash::of(b"abc").hex());
    assert_eq!(document["uploadedAt"], "1970-01-01T00:16:40.000Z");
    assert_eq!(document["expiresAt"], "1970-01-02T00:16:40.000Z");
}

#[tokio::test]
async fn c135_a_crash_between_sending_and_noting_uploads_nothing_twice() {
    let bench = Bench::new().await;
    let local = file("a.rs", "a");
    let first = bench.upload("one", &local, FileTtl::Never).await;
    // As a process leaves it that dies after it sent the file, and before it has noted the id.
    let sent_as = format!("salve-dead-{}", local.filename());
    let begun = salve_store::NewUpload {
        key: "salve-dead".to_owned(),
        session: id("two"),
        workspace: "/w".to_owned(),
        provider: "sim".to_owned(),
        path: local.path.clone(),
        sent_as: sent_as.clone(),
        hash: local.hash.clone(),
        size: local.size,
        ttl_hours: -1,
    };
    bench.store.begin_upload(begun.clone()).await.unwrap();
    let sent = at_provider(&bench).upload(&sent_as, b"a").await.unwrap();
    bench.pass_hours(1);
    let record = bench.upload("two", &local, FileTtl::Never).await;
    assert_eq!((record.key.as_str(), record.file_id), ("salve-dead", Some(sent.id)));
    assert_eq!(bench.uploads(), 2, "one for each session");
    // One that is followed by another is deleted when the session is entered, whether it arrived or not.
    let left = salve_store::NewUpload {
        key: "salve-left".to_owned(),
        sent_as: "salve-left-a.rs".to_owned(),
        hash: "old".to_owned(),
        path: "b.rs".to_owned(),
        ..begun
    };
    bench.store.begin_upload(left).await.unwrap();
    at_provider(&bench).upload("salve-left-a.rs", b"old").await.unwrap();
    bench.pass_hours(1);
    bench.upload("two", &file("b.rs", "b"), FileTtl::Never).await;
    let cleaned = bench.desk.clean_up(Some(&id("two"))).await.unwrap();
    let keys: Vec<&str> = cleaned.deleted.iter().map(|record| record.key.as_str()).collect();
    assert_eq!((keys, bench.names().contains(&"old".to_owned())), (vec!["salve-left"], false));
    // And where the record is deleted, a new one begins.
    bench.desk.delete_file(&first).await.unwrap();
    assert_eq!(bench.store.uploads(&id("one")).await.unwrap()[0].state, UploadState::Deleted);
    let again = bench.upload("one", &local, FileTtl::Never).await;
    assert_ne!(again.key, first.key);
}

fn at_provider(bench: &Bench) -> salve_model::ProviderFiles {
    lineup(&bench.sim.url()).files("sim").unwrap()
}

#[tokio::test]
async fn c135_the_time_can_be_set_anew_and_an_unknown_provider_has_no_place() {
    let bench = Bench::new().await;
    let local = file("a.rs", "a");
    bench.upload("one", &local, FileTtl::Never).await;
    assert_eq!(bench.desk.set_file_ttl(&id("one"), FileTtl::Hours(1)).await.unwrap(), 1);
    bench.pass_hours(1);
    assert_eq!(bench.desk.expired_files_global().await.unwrap().len(), 1);
    let nowhere = UploadPlace { provider: "ollama".to_owned(), ..place("one") };
    let fault = bench.desk.upload_file(&nowhere, &local, FileTtl::Never).await.unwrap_err();
    assert!(matches!(fault, UploadFault::NoPlace { .. }), "{fault}");
}

#[tokio::test]
async fn c130_a_secret_does_not_leave_with_a_file() {
    let bench = Bench::new().await;
    let secret = format!("key = \"sk-ant-api03-{}\"\n", "aB3dE5gH7jK9".repeat(8));
    bench.upload("one", &file("a.rs", &secret), FileTtl::Never).await;
    let sent = bench.names().remove(0);
    assert!(sent.starts_with("key = ") && !sent.contains("aB3dE5gH7jK9"), "{sent}");
}

#[test]
fn c138_what_may_not_be_loaded_or_is_too_large_is_not_uploaded() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let mut file = std::fs::File::create_new(folder.path().join(path)).unwrap();
        std::io::Write::write_all(&mut file, bytes).unwrap();
    };
    write("big.txt", &vec![b'x'; (11 << 20) as usize]);
    write(".env", b"KEY=1\n");
    write("image.bin", &[0, 1, 2, 0xff]);
    write("a.rs", b"fn a() {}\n");
    let root = Root::open(folder.path()).unwrap();
    let of = |path: &str| local_file(&root, path, MAX_UPLOAD_BYTES).map_err(|skipped| skipped.code);
    assert_eq!(of("big.txt"), Err(SkipCode::TooLarge));
    assert_eq!(of(".env"), Err(SkipCode::Omitted(OmitCode::Secret)));
    assert_eq!(of("image.bin"), Err(SkipCode::Omitted(OmitCode::Binary)));
    assert_eq!(of("../x"), Err(SkipCode::Omitted(OmitCode::Outside)));
    assert_eq!(of("a.rs").unwrap().size, 10);
    let limits = UploadSettings { max_bytes: 9, ..UploadSettings::default() };
    let paths = ["a.rs".to_owned()];
    let none = local_files(folder.path(), &paths, &limits).unwrap();
    assert_eq!((none.files.len(), none.skipped[0].code), (0, SkipCode::TooLarge));
}
