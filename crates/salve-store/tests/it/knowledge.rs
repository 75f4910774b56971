//! Knowledge from outside: written by many at once without loss, and on a server everybody's own.

use crate::place::Place;
use crate::support::*;
use salve_store::{
    DecisionFilter, FixKind, KeptFix, KnowledgeScope, NewDecision, NewFixOutcome, NewRule,
    PatternFilter, PatternKey, RuleState, Store,
};

const TASKS: u64 = 16;
const EACH: u64 = 8;

pub(crate) fn outcome(heal: &str, exact: &str, success: bool) -> NewFixOutcome {
    NewFixOutcome {
        heal: heal.to_owned(),
        workspace: "w".to_owned(),
        scope: KnowledgeScope::Private,
        key: PatternKey { exact: exact.to_owned(), shape: "s".to_owned(), class: "c".to_owned() },
        error_type: "type".to_owned(),
        error: "what was said".to_owned(),
        fix: KeptFix {
            fix: "f".to_owned(),
            kind: FixKind::Patch,
            description: "does f".to_owned(),
            body: "{}".to_owned(),
            source: "model".to_owned(),
            made_by: "m".to_owned(),
        },
        success,
    }
}

fn rule(scope: KnowledgeScope) -> NewRule {
    NewRule {
        id: "r".to_owned(),
        class: "c".to_owned(),
        tool: "rustc".to_owned(),
        language: "rust".to_owned(),
        body: "{}".to_owned(),
        scope,
        ..NewRule::default()
    }
}

async fn write(store: &Store, task: u64) {
    for number in 0..EACH {
        let heal = format!("{task}/{number}");
        let decision = NewDecision {
            // Some keys are everybody's, so that they take each other's place.
            key: if number % 2 == 0 { "all".to_owned() } else { heal.clone() },
            job: heal.clone(),
            choice: heal.clone(),
            ..NewDecision::default()
        };
        store.add_decision(decision).await.expect("kept");
        // Told twice, as after a crash.
        for first in [true, false] {
            let told = outcome(&heal, "e", number % 3 != 0);
            assert_eq!(store.record_fix_outcome(told).await.expect("kept"), first);
            let told = store.rule_outcome(&heal, "r", true).await.expect("kept").expect("a rule");
            assert_eq!(told.counted, first);
        }
    }
}

async fn r44_sixteen_tasks_lose_no_decision_and_no_outcome(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    store.add_rule(rule(KnowledgeScope::Private)).await.expect("kept");
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let store = store.clone();
        tasks.spawn(async move { write(&store, task).await });
    }
    tasks.join_all().await;
    let all = u32::try_from(TASKS * EACH).expect("few");
    let decisions = store.decisions(&DecisionFilter::default(), 9999).await.expect("listed");
    assert_eq!(decisions.len(), all as usize);
    let held = decisions.iter().filter(|one| one.superseded_by.is_none()).count();
    assert_eq!(held, all as usize / 2 + 1, "one holds for all, and each of the others");
    let patterns = store.patterns(&PatternFilter::default(), 9).await.expect("listed");
    let fix = &patterns[0].fixes[0];
    let failed = TASKS * EACH.div_ceil(3);
    assert_eq!(patterns[0].hits, TASKS * EACH);
    assert_eq!((fix.successes, fix.failures), (TASKS * EACH - failed, failed));
    let rule = store.rule("r").await.expect("read").expect("kept");
    assert_eq!((rule.wins, rule.losses, rule.state), (TASKS * EACH, 0, RuleState::Active));
    assert_eq!(store.check_integrity().await.expect("checked"), [""; 0]);
}

async fn what_one_process_learned_another_finds(place: Place) {
    let one = place.open(options(HandClock::new())).await;
    let other = place.open(options(HandClock::new())).await;
    one.record_fix_outcome(outcome("1", "e", true)).await.expect("kept");
    other.record_fix_outcome(outcome("2", "e", true)).await.expect("kept");
    let key = PatternKey { exact: "e".to_owned(), ..PatternKey::default() };
    for store in [&one, &other] {
        let known = store.known_fixes(&key, "elsewhere", 9).await.expect("found");
        assert_eq!(known.successful[0].successes, 2);
        assert_eq!(known.successful[0].from.as_deref(), Some("w"));
    }
}

async fn r54_rules_survive_a_restart(place: Place) {
    let store = place.open(options(HandClock::new())).await;
    store.add_rule(rule(KnowledgeScope::Private)).await.expect("kept");
    store.rule_outcome("1", "r", true).await.expect("kept");
    store.pin_rule("r", "ann", "reviewed").await.expect("pinned");
    let before = store.rule("r").await.expect("read").expect("kept");
    store.close().await;
    let store = place.open(options(HandClock::new())).await;
    assert_eq!(store.rule("r").await.expect("read"), Some(before));
}

crate::place::every_store!(
    r44_sixteen_tasks_lose_no_decision_and_no_outcome;
    shared what_one_process_learned_another_finds, r54_rules_survive_a_restart
);

/// Two people of one database.
#[cfg(feature = "fleet")]
mod team {
    use super::*;
    use crate::place::{connection, place, server};
    use salve_store::PostgresOptions;
    use sqlx::{Connection, PgConnection};

    /// A schema with roles that may use it.
    struct Team {
        admin: PgConnection,
        roles: Vec<String>,
        schema: String,
    }

    impl Team {
        async fn new(names: &[&str]) -> Option<Self> {
            let Place::Postgres(owner) = place().await? else { return None };
            // The owner makes the tables.
            Store::postgres(&owner, options(HandClock::new())).await.expect("opened").close().await;
            let schema = owner.schema_name().to_owned();
            let mut admin = connection().await?;
            let mut roles = Vec::new();
            for name in names {
                let role = format!("{name}_{}", uuid::Uuid::new_v4().simple());
                let sql = format!(
                    "CREATE ROLE {role} LOGIN PASSWORD 'test';
                     GRANT USAGE ON SCHEMA {schema} TO {role};
                     GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};"
                );
                sqlx::raw_sql(&sql).execute(&mut admin).await.expect("a role");
                roles.push(role);
            }
            Some(Self { admin, roles, schema })
        }

        fn address(&self, role: usize) -> String {
            let mut address = url::Url::parse(&server().expect("a server")).expect("an address");
            address.set_username(&self.roles[role]).expect("a name");
            address.set_password(Some("test")).expect("a password");
            address.to_string()
        }

        async fn store(&self, role: usize) -> Store {
            let server = PostgresOptions::new(self.address(role)).schema(&*self.schema);
            Store::postgres(&server, options(HandClock::new())).await.expect("opened")
        }

        async fn raw(&self, role: usize) -> PgConnection {
            let mut connection =
                PgConnection::connect(&self.address(role)).await.expect("a connection");
            let sql = format!("SET search_path = {}", self.schema);
            sqlx::raw_sql(&sql).execute(&mut connection).await.expect("set");
            connection
        }

        async fn end(mut self) {
            for role in &self.roles {
                let sql = format!("DROP OWNED BY {role}; DROP ROLE {role};");
                sqlx::raw_sql(&sql).execute(&mut self.admin).await.expect("gone");
            }
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn h21_knowledge_is_private_unless_shared_and_says_whose_it_is() {
        let Some(team) = Team::new(&["ann", "bob"]).await else { return };
        let (ann, bob) = (team.store(0).await, team.store(1).await);
        let key = PatternKey { exact: "e".to_owned(), ..PatternKey::default() };
        ann.record_fix_outcome(outcome("1", "e", true)).await.expect("kept");
        let known = bob.known_fixes(&key, "w", 9).await.expect("found");
        assert!(!known.tried_before(), "{known:?}");
        let shared = NewFixOutcome { scope: KnowledgeScope::Shared, ..outcome("2", "e", true) };
        ann.record_fix_outcome(shared).await.expect("kept");
        let known = bob.known_fixes(&key, "w", 9).await.expect("found");
        // The same path on another machine is not this project.
        let one = &known.successful[0];
        assert_eq!((one.from.as_deref(), one.author.as_ref()), (Some("w"), Some(&team.roles[0])));
        // Both tell what came of it; neither loses what the other told.
        bob.record_fix_outcome(outcome("2", "e", false)).await.expect("kept");
        let known = bob.known_fixes(&key, "w", 9).await.expect("found");
        assert_eq!((known.successful.len(), known.failed.len()), (0, 1), "{known:?}");
        let known = ann.known_fixes(&key, "w", 9).await.expect("found");
        assert_eq!((known.successful.len(), known.failed.len()), (1, 0), "{known:?}");
        ann.close().await;
        bob.close().await;
        team.end().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn r56_what_others_say_of_a_rule_neither_pins_nor_quarantines_it_here() {
        let Some(team) = Team::new(&["ann", "bob"]).await else { return };
        let (ann, bob) = (team.store(0).await, team.store(1).await);
        ann.add_rule(rule(KnowledgeScope::Shared)).await.expect("kept");
        ann.rule_outcome("1", "r", true).await.expect("kept");
        ann.pin_rule("r", "Ann", "reviewed").await.expect("pinned");
        let found = bob.rules_for("rust", &["c".to_owned()]).await.expect("found");
        let theirs = &found[0];
        assert_eq!((theirs.wins, theirs.team_wins, theirs.pin.as_ref()), (0, 1, None));
        assert_eq!(theirs.author.as_ref(), Some(&team.roles[0]));
        assert_eq!(theirs.pin_of(&[]), None);
        let trusted = theirs.pin_of(&team.roles[..1]).expect("trusted");
        assert_eq!(trusted.by, "Ann");
        // It fails for him alone.
        for heal in ["1", "2"] {
            bob.rule_outcome(heal, "r", false).await.expect("kept");
        }
        assert_eq!(bob.rules_for("rust", &["c".to_owned()]).await.expect("found").len(), 0);
        let here = bob.rule("r").await.expect("read").expect("there");
        assert_eq!((here.state, here.losses, here.team_wins), (RuleState::Quarantined, 2, 1));
        let there = ann.rule("r").await.expect("read").expect("there");
        assert_eq!((there.state, there.losses, there.team_losses), (RuleState::Active, 0, 0));
        ann.close().await;
        bob.close().await;
        team.end().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_author_is_the_role_whatever_a_client_says() {
        let Some(team) = Team::new(&["ann", "bob"]).await else { return };
        let ann = team.store(0).await;
        ann.add_rule(rule(KnowledgeScope::Shared)).await.expect("kept");
        ann.record_fix_outcome(outcome("1", "secret", true)).await.expect("kept");
        let mut bob = team.raw(1).await;
        let forged = format!(
            "INSERT INTO knowledge_rules
             SELECT 'forged', '{}', scope, class, tool, code, language, level, priority, body, state,
                    99, losses, straight_losses, replays, 'Ann', 'hers', 1, origin, workspace,
                    created, last_used
               FROM knowledge_rules WHERE id = 'r'",
            team.roles[0]
        );
        sqlx::raw_sql(&forged).execute(&mut bob).await.expect("inserted, under his own name");
        let author: String =
            sqlx::query_scalar("SELECT author FROM knowledge_rules WHERE id = 'forged'")
                .fetch_one(&mut bob)
                .await
                .expect("read");
        assert_eq!(author, team.roles[1]);
        // He can change neither her rows nor whose his own are.
        let sql = "UPDATE knowledge_rules SET wins = 99 WHERE id = 'r'";
        let changed = sqlx::query(sql).execute(&mut bob).await.expect("answered");
        assert_eq!(changed.rows_affected(), 0);
        let sql = format!("UPDATE knowledge_rules SET author = '{}'", team.roles[0]);
        sqlx::query(&sql).execute(&mut bob).await.expect("answered");
        let hers = ann.rule("forged").await.expect("read").expect("shared");
        assert_eq!((hers.author.as_ref(), hers.wins), (Some(&team.roles[1]), 0));
        let sql = "SELECT count(*) FROM knowledge_fixes WHERE exact = 'secret'";
        let seen: i64 = sqlx::query_scalar(sql).fetch_one(&mut bob).await.expect("read");
        assert_eq!(seen, 0, "hers is private");
        drop(bob);
        ann.close().await;
        team.end().await;
    }
}
