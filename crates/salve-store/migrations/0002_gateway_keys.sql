-- Keys the gateway hands out: their hashes, never the keys.
CREATE TABLE gateway_keys (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    tokens_per_day BIGINT,
    micro_dollars_per_day BIGINT,
    requests_per_minute BIGINT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
-- A name is free again once its key was revoked, so that a key can be replaced under its name.
CREATE UNIQUE INDEX gateway_keys_in_force ON gateway_keys (name) WHERE revoked_at IS NULL;
-- Raised whenever a key is made or revoked, so that copies in memory know that they are old.
ALTER TABLE ledger ADD COLUMN keys_version BIGINT NOT NULL DEFAULT 0;
