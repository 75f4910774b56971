-- Keys the gateway hands out: their hashes, never the keys.
CREATE TABLE gateway_keys (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    tokens_per_day BIGINT,
    micro_dollars_per_day BIGINT,
    requests_per_minute BIGINT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
-- Raised whenever a key is made or revoked, so that copies in memory know that they are old.
ALTER TABLE ledger ADD COLUMN keys_version BIGINT NOT NULL DEFAULT 0;
