-- Jobs as people see them. What a job does is written down by the engine, elsewhere.
CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    -- Rises with every job, so that lists have an order.
    number BIGINT NOT NULL UNIQUE,
    -- The first part of its name, which a job has in common with its children.
    root TEXT NOT NULL,
    flow TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    needs TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Why it is to stop, once somebody wants it to.
    cancel_reason TEXT,
    -- How far into its history events were written down.
    reported_execution BIGINT NOT NULL,
    reported_event BIGINT NOT NULL,
    ended TEXT,
    ended_at BIGINT
);
CREATE INDEX jobs_by_root ON jobs (root);
ALTER TABLE ledger ADD COLUMN next_job BIGINT NOT NULL DEFAULT 1;
CREATE INDEX events_by_subject ON events (subject, id) WHERE subject <> '';

-- Texts that jobs pass around by their hash.
CREATE TABLE texts (
    id TEXT PRIMARY KEY,
    content BLOB NOT NULL,
    -- When it was last put.
    put_at BIGINT NOT NULL
);
CREATE INDEX texts_by_age ON texts (put_at);

-- Raised each time a call changes hands.
ALTER TABLE calls ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1;
-- What somebody decided about a call in doubt.
ALTER TABLE calls ADD COLUMN decided TEXT CHECK (decided IN ('retry', 'result', 'fail'));

-- Tries at a call that were taken from their owner. Each may have been paid.
CREATE TABLE call_tries (
    call BIGINT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
    epoch BIGINT NOT NULL,
    -- Lost until its owner says how it ended, then late.
    state TEXT NOT NULL CHECK (state IN ('lost', 'late')),
    worker TEXT NOT NULL,
    reserved_at BIGINT NOT NULL,
    -- Where it counts in budgets, and as what: its worst case, until it is known what it took.
    day BIGINT NOT NULL,
    gateway_key BIGINT,
    session TEXT,
    counted_tokens BIGINT NOT NULL,
    counted_micro_dollars BIGINT NOT NULL,
    -- From here on: known when it is late.
    settled_at BIGINT,
    outcome TEXT,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cached_tokens BIGINT,
    reasoning_tokens BIGINT,
    micro_dollars BIGINT,
    note TEXT,
    -- What had arrived; the whole answer once it is late.
    content BLOB NOT NULL,
    PRIMARY KEY (call, epoch)
);
