-- What happened, in the order in which it was committed. Ids are never used twice.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    body BLOB NOT NULL
);
ALTER TABLE ledger ADD COLUMN next_event BIGINT NOT NULL DEFAULT 1;
