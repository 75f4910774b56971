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
