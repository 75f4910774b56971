//! What a batch writes, one statement for each kind of row, and how each database spells it.
//!
//! In: nothing. Out: the statements, spelled once. Rows come as JSON arrays of arrays: `#0` is the
//! number and `@0` the text at a place of the row, `%2,3` the part of the batch's bytes whose beginning
//! and length are at these places, and `{raised}` is true if the version was just raised.

use std::sync::LazyLock;

/// The statements of one database, in the order in which a batch has its rows.
pub(super) struct Spelled {
    pub(super) raise: String,
    pub(super) sections: Vec<String>,
    pub(super) seen: String,
}

/// In the order of `Batch::kinds`.
const SECTIONS: [&str; 10] =
    [CALLS, BUDGETS, SETTLES, PIECES, TEXTS, EVENTS, INSPECTIONS, JUDGEMENTS, JOBS, LATES];

/// The place of the statement that changes rows another one may change as well. In one statement
/// Postgres would do only one of the two.
#[cfg(feature = "fleet")]
pub(super) const JUDGEMENTS_AT: usize = 7;

pub(super) static SQLITE: LazyLock<Spelled> = LazyLock::new(|| {
    // The name of the writer is part of it, since another process may have raised the version as well.
    let raised = "EXISTS (SELECT 1 FROM ledger WHERE version = $1 + 1 AND writer = $2)";
    let place = |at: &str| format!("value ->> {at}");
    // Of no bytes at all it would take nothing, which is not the same as none.
    let bytes = |from: &str, length: &str| {
        format!("coalesce(substr($12, value ->> {from}, value ->> {length}), x'')")
    };
    Spelled::new(&Spelling { raised, number: &place, text: &place, bytes: &bytes })
});

#[cfg(feature = "fleet")]
pub(super) static POSTGRES: LazyLock<Spelled> = LazyLock::new(|| {
    // All parts of a statement see the ledger as it was before.
    let raised = "EXISTS (SELECT 1 FROM raised)";
    let number = |at: &str| format!("CAST(value ->> {at} AS BIGINT)");
    let text = |at: &str| format!("(value ->> {at})");
    let bytes = |from: &str, length: &str| {
        format!(
            "substr($12, CAST(value ->> {from} AS INTEGER), CAST(value ->> {length} AS INTEGER))"
        )
    };
    Spelled::new(&Spelling { raised, number: &number, text: &text, bytes: &bytes })
});

/// How a database says what the statements leave open.
struct Spelling<'a> {
    raised: &'a str,
    number: &'a dyn Fn(&str) -> String,
    text: &'a dyn Fn(&str) -> String,
    bytes: &'a dyn Fn(&str, &str) -> String,
}

impl Spelled {
    fn new(spelling: &Spelling<'_>) -> Self {
        let sections = SECTIONS.iter().map(|section| spelling.spell(section)).collect();
        Self { raise: RAISE_VERSION.to_owned(), sections, seen: spelling.spell(SEEN) }
    }
}

impl Spelling<'_> {
    fn spell(&self, section: &str) -> String {
        let mut out = String::with_capacity(section.len() * 2);
        let mut rest = section;
        while let Some(at) = rest.find(['#', '@', '%', '{']) {
            let (before, mark) = rest.split_at(at);
            out.push_str(before);
            let (mark, after) = mark.split_at(1);
            let (place, after) = digits(after);
            rest = after;
            match mark {
                "#" => out.push_str(&(self.number)(place)),
                "@" => out.push_str(&(self.text)(place)),
                "%" => {
                    let (length, after) = digits(rest.trim_start_matches(','));
                    rest = after;
                    out.push_str(&(self.bytes)(place, length));
                }
                _ => {
                    rest = rest.trim_start_matches("raised}");
                    out.push_str(self.raised);
                }
            }
        }
        out.push_str(rest);
        out
    }
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

const RAISE_VERSION: &str = "
UPDATE ledger SET version = version + 1, writer = $2, next_call = $3, next_event = $4,
       next_job = $15
 WHERE version = $1 RETURNING version";

const CALLS: &str = "
INSERT INTO calls (id, call_key, state, worker, reserved_at, day, purpose, dialect, provider, model,
                   gateway_key, session, parent, prompt_hash, prompt_tokens, prompt_micro_dollars,
                   answer_tokens, answer_micro_dollars)
SELECT #0, @1, 'open', $2, #2, #3, @4, @5, @6, @7, #8, @9, #10, @11, #12, #13, #14, #15
  FROM json_each($5) WHERE {raised}";

const BUDGETS: &str = "
INSERT INTO budgets (scope, day, held_tokens, held_micro_dollars, spent_tokens, spent_micro_dollars,
                     touched)
SELECT @0, #1, #2, #3, #4, #5, #6
  FROM json_each($6) WHERE {raised}
ON CONFLICT (scope, day) DO UPDATE
   SET held_tokens = excluded.held_tokens, held_micro_dollars = excluded.held_micro_dollars,
       spent_tokens = excluded.spent_tokens, spent_micro_dollars = excluded.spent_micro_dollars,
       touched = excluded.touched";

const SETTLES: &str = "
UPDATE calls
   SET state = 'settled', settled_at = #1, outcome = @2,
       input_tokens = #3, output_tokens = #4, cached_tokens = #5,
       reasoning_tokens = #6, micro_dollars = #7, estimated = #8,
       raw_bytes = #9, finish = @10, status = #11, error = @12,
       note = @13, kind = coalesce(@14, kind),
       language = coalesce(@15, language)
  FROM json_each($7)
 WHERE calls.id = #0 AND {raised}";

// A piece that was put back because nobody knew whether it was written may be there already, and the
// call of a late text may have been taken over, or decided about and forgotten.
const PIECES: &str = "
INSERT INTO call_pieces (call, position, content)
SELECT #0, #1, %2,3
  FROM json_each($8)
 WHERE EXISTS (SELECT 1 FROM calls WHERE calls.id = #0 AND epoch = #4) AND {raised}
ON CONFLICT (call, position) DO NOTHING";

const TEXTS: &str = "
INSERT INTO call_texts (call, slot, content)
SELECT #0, @1, %2,3
  FROM json_each($9) WHERE EXISTS (SELECT 1 FROM calls WHERE calls.id = #0) AND {raised}
ON CONFLICT (call, slot) DO UPDATE SET content = excluded.content";

const EVENTS: &str = "
INSERT INTO events (id, at, kind, subject, body)
SELECT #0, #1, @2, @3, %4,5
  FROM json_each($10) WHERE {raised}";

const INSPECTIONS: &str = "
INSERT INTO inspections (day, kind, model, language, outcome, counted)
SELECT #0, @1, @2, @3, @4, #5
  FROM json_each($11) WHERE {raised}
ON CONFLICT (day, kind, model, language, outcome) DO UPDATE
   SET counted = inspections.counted + excluded.counted";

const JUDGEMENTS: &str = "
UPDATE calls SET kind = @1, language = @2
  FROM json_each($14)
 WHERE calls.id = #0 AND {raised}";

const JOBS: &str = "
INSERT INTO jobs (id, number, root, flow, input_hash, needs, created_at, cancel_reason,
                  reported_execution, reported_event, ended, ended_at)
SELECT @0, #1, @2, @3, @4, @5, #6, @7, #8, #9, @10, #11
  FROM json_each($16) WHERE {raised}
ON CONFLICT (id) DO UPDATE
   SET cancel_reason = excluded.cancel_reason, reported_execution = excluded.reported_execution,
       reported_event = excluded.reported_event, ended = excluded.ended,
       ended_at = excluded.ended_at";

const LATES: &str = "
INSERT INTO call_tries (call, epoch, state, worker, reserved_at, day, gateway_key, session,
                        counted_tokens, counted_micro_dollars, settled_at, outcome, input_tokens,
                        output_tokens, cached_tokens, reasoning_tokens, micro_dollars, note,
                        content)
SELECT #0, #1, 'late', $2, #2, #3, #4, @5, #6, #7, #8, @9, #10, #11, #12, #13, #14, @15, %16,17
  FROM json_each($17) WHERE {raised}
ON CONFLICT (call, epoch) DO UPDATE
   SET state = excluded.state, counted_tokens = excluded.counted_tokens,
       counted_micro_dollars = excluded.counted_micro_dollars, settled_at = excluded.settled_at,
       outcome = excluded.outcome, input_tokens = excluded.input_tokens,
       output_tokens = excluded.output_tokens, cached_tokens = excluded.cached_tokens,
       reasoning_tokens = excluded.reasoning_tokens, micro_dollars = excluded.micro_dollars,
       note = excluded.note,
       content = CASE WHEN length(excluded.content) > 0 THEN excluded.content
                      ELSE call_tries.content END";

const SEEN: &str = "
INSERT INTO workers (worker, seen_at) SELECT $2, $13 WHERE {raised}
ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at";
