//! The tables of the call ledger, and how they are made.
//!
//! In: nothing. Out: their declaration. Never changed once released: a later step adds to it.

use crate::migrations::Migration;
use crate::tables::Table;

/// Calls to models, their texts, and what they take out of budgets.
pub(crate) const TABLE: Table = Table {
    names: &["ledger", "calls", "call_pieces", "call_texts", "call_tries", "budgets", "workers"],
    migrations: &[
        Migration {
            version: 1,
            name: "0001_calls",
            sql: MIGRATION,
            #[cfg(test)]
            rows: tests::ROWS,
        },
        Migration {
            version: 17,
            name: "0017_processes",
            sql: PROCESSES,
            #[cfg(test)]
            rows: "INSERT INTO workers (worker, seen_at, process) VALUES ('dead', 1000, 'p:1');",
        },
    ],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
-- Calls to models, the texts they brought, and what they take out of budgets.

-- One row. Whoever writes raises `version` in the same transaction, and only if it is the one it
-- knew: what a process holds in memory is true exactly as long as the version has not moved.
CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    version BIGINT NOT NULL,
    writer TEXT NOT NULL,
    next_call BIGINT NOT NULL
);
INSERT INTO ledger (one, version, writer, next_call) VALUES (1, 0, '', 1);

CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    -- Absent for a call that nobody will ask for again.
    call_key TEXT,
    state TEXT NOT NULL CHECK (state IN ('open', 'settled')),
    worker TEXT NOT NULL,
    reserved_at BIGINT NOT NULL,
    -- The day whose budgets it counts in.
    day BIGINT NOT NULL,
    purpose TEXT NOT NULL,
    dialect TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    gateway_key BIGINT,
    session TEXT,
    parent BIGINT,
    prompt_hash TEXT,
    -- The worst case that was held when it was reserved.
    prompt_tokens BIGINT NOT NULL,
    prompt_micro_dollars BIGINT NOT NULL,
    answer_tokens BIGINT NOT NULL,
    answer_micro_dollars BIGINT NOT NULL,
    -- From here on: known when it is settled.
    settled_at BIGINT,
    outcome TEXT,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cached_tokens BIGINT,
    reasoning_tokens BIGINT,
    micro_dollars BIGINT,
    estimated BIGINT,
    raw_bytes BIGINT,
    finish TEXT,
    status BIGINT,
    error TEXT,
    note TEXT
);
CREATE UNIQUE INDEX calls_by_key ON calls (call_key) WHERE call_key IS NOT NULL;
CREATE INDEX calls_open ON calls (worker) WHERE state = 'open';

-- What arrived, in the order in which it arrived.
CREATE TABLE call_pieces (
    call BIGINT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (call, position)
);

-- What was made of it: the best so far, or the whole.
CREATE TABLE call_texts (
    call BIGINT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    slot TEXT NOT NULL CHECK (slot IN ('partial', 'result')),
    content BLOB NOT NULL,
    PRIMARY KEY (call, slot)
);

-- What each scope has spent, and what open calls hold at their worst case. A window that never ends
-- has the day 0.
CREATE TABLE budgets (
    scope TEXT NOT NULL,
    day BIGINT NOT NULL,
    held_tokens BIGINT NOT NULL,
    held_micro_dollars BIGINT NOT NULL,
    spent_tokens BIGINT NOT NULL,
    spent_micro_dollars BIGINT NOT NULL,
    touched BIGINT NOT NULL,
    PRIMARY KEY (scope, day)
) WITHOUT ROWID;

-- Who was seen alive, and when. An open call of anybody else is in doubt.
CREATE TABLE workers (
    worker TEXT PRIMARY KEY,
    seen_at BIGINT NOT NULL
) WITHOUT ROWID;
";

const PROCESSES: &str = "
-- Which process a worker is in: its machine sees at once when that is dead.
ALTER TABLE workers ADD COLUMN process TEXT NOT NULL DEFAULT '';
";

#[cfg(test)]
mod tests {
    use crate::tables::Conforming;
    use crate::testing::redacted;
    use crate::{CallKey, CallOutcome, NewCall, Reservation, Resolution, Settled, Store};

    pub(super) const ROWS: &str =
        "INSERT INTO calls (id, call_key, state, worker, reserved_at, day, purpose, dialect, provider,
                        model, session, prompt_tokens, prompt_micro_dollars, answer_tokens,
                        answer_micro_dollars, settled_at, outcome, input_tokens, output_tokens,
                        cached_tokens, reasoning_tokens, micro_dollars, estimated, raw_bytes)
     VALUES (1, 'old/1', 'settled', 'old', 1000, 5, 'first', 'chat', 'p', 'm', 's', 10, 1, 20, 2,
             2000, 'whole', 9, 8, 0, 0, 3, 0, 4),
            (2, 'old/2', 'open', 'old', 1000, 5, 'first', 'chat', 'p', 'm', 's', 10, 1, 20, 2,
             NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
     INSERT INTO call_pieces VALUES (1, 0, CAST('te' AS BLOB)), (1, 1, CAST('xt' AS BLOB)),
                                    (2, 0, CAST('par' AS BLOB));
     INSERT INTO call_texts VALUES (1, 'result', CAST('text' AS BLOB));
     INSERT INTO budgets VALUES ('day', 5, 30, 3, 17, 3, 5), ('session:s', 0, 30, 3, 17, 3, 5);
     UPDATE ledger SET version = 7, next_call = 3, writer = 'old';";

    /// Reserves, appends, settles, and decides about a call.
    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            let fresh =
                async |key: &str| match store.reserve(&CallKey::new(key), NewCall::default()).await
                {
                    Ok(Reservation::Fresh(open)) => open,
                    other => panic!("not fresh: {other:?}"),
                };
            let mut open = fresh(text).await;
            let id = open.id();
            open.append(text);
            open.save().await.expect("saved");
            let settled = Settled {
                outcome: CallOutcome::Whole,
                text: Some(text.to_owned()),
                note: Some(serde_json::json!({ text: text })),
                error: Some(text.to_owned()),
                ..Settled::default()
            };
            open.settle(settled).await.expect("settled");
            let detail = store.call(id).await.expect("read").expect("there");
            assert_eq!(detail.texts.result.as_deref(), Some(redacted(text).as_str()));

            let in_doubt = fresh("in doubt").await;
            let decision = Resolution::UseResult(text.to_owned());
            store.resolve(in_doubt.id(), decision).await.expect("resolved");
            in_doubt.leave_open();
            let done = store.reserve(&CallKey::new("in doubt"), NewCall::default()).await;
            assert!(matches!(done, Ok(Reservation::Done(_))), "{done:?}");
        })
    }
}
