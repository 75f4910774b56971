-- How texts were judged and what became of them, counted by day.
CREATE TABLE inspections (
    day BIGINT NOT NULL,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    language TEXT NOT NULL,
    outcome TEXT NOT NULL,
    counted BIGINT NOT NULL,
    PRIMARY KEY (day, kind, model, language, outcome)
) WITHOUT ROWID;
-- What the judgement of a call was, so that a person can mark it as a false alarm.
ALTER TABLE calls ADD COLUMN kind TEXT;
ALTER TABLE calls ADD COLUMN language TEXT;
ALTER TABLE calls ADD COLUMN false_alarm BIGINT NOT NULL DEFAULT 0;
