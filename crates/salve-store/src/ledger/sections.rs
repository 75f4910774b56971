//! What a batch writes, one statement for each kind of row, and how each database spells it.
//!
//! In: nothing. Out: the statements, spelled once. Rows come as JSON arrays of arrays, unfolded by
//! `{rows}`: `#0` is the number and `@0` the text at a place of the row, `%2,3` the part of the batch's
//! bytes whose beginning and length are at these places, and `{raised}` is true if the version was just
//! raised.

use super::batch::Batch;
use crate::sql::Rows;
use std::sync::LazyLock;

/// The parameters every batch has. Those of the sections follow, in their order.
pub(super) const SHARED: usize = 6;

/// One kind of row: its name, where its rows are, and what is done with them. No two of them change
/// the same row: in one statement, Postgres would do only one of the two.
pub(super) struct Section {
    #[cfg_attr(not(feature = "fleet"), expect(dead_code, reason = "SQLite needs no names"))]
    pub(super) name: &'static str,
    pub(super) rows: fn(&mut Batch) -> &mut Rows,
    sql: &'static str,
}

/// In the order in which they are done.
pub(super) const SECTIONS: &[Section] = &[
    Section { name: "calls", rows: |batch| &mut batch.calls, sql: CALLS },
    Section { name: "budgets", rows: |batch| &mut batch.budgets, sql: BUDGETS },
    Section { name: "settlements", rows: |batch| &mut batch.settlements, sql: SETTLEMENTS },
    Section { name: "pieces", rows: |batch| &mut batch.pieces, sql: PIECES },
    Section { name: "texts", rows: |batch| &mut batch.texts, sql: TEXTS },
    Section { name: "counts", rows: |batch| &mut batch.counts, sql: COUNTS },
    Section { name: "late", rows: |batch| &mut batch.late, sql: LATE },
];

/// The statements of one database; the sections in the order of [`SECTIONS`].
pub(super) struct Spelled {
    pub(super) raise: &'static str,
    pub(super) sections: Vec<String>,
    pub(super) seen: String,
}

pub(super) static SQLITE: LazyLock<Spelled> = LazyLock::new(|| {
    // The name of the writer is part of it, since another process may have raised the version as well.
    let raised = "EXISTS (SELECT 1 FROM ledger WHERE version = $1 + 1 AND writer = $2)";
    let place = |at: &str| format!("value ->> {at}");
    // Of no bytes at all it would take `NULL`, which is not the same as none.
    let bytes = |from: &str, length: &str| {
        format!("coalesce(substr($5, value ->> {from}, value ->> {length}), x'')")
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
            "substr($5, CAST(value ->> {from} AS INTEGER), CAST(value ->> {length} AS INTEGER))"
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
        let spell = |(at, section): (usize, &Section)| {
            let rows = format!("json_each(${})", SHARED + 1 + at);
            spelling.spell(&section.sql.replace("{rows}", &rows))
        };
        let sections = SECTIONS.iter().enumerate().map(spell).collect();
        Self { raise: RAISE_VERSION, sections, seen: spelling.spell(SEEN) }
    }
}

impl Spelling<'_> {
    fn spell(&self, section: &str) -> String {
        let section = section.replace("{raised}", self.raised);
        let mut out = String::with_capacity(section.len() * 2);
        let mut rest = section.as_str();
        while let Some(at) = rest.find(['#', '@', '%']) {
            let (before, mark) = rest.split_at(at);
            out.push_str(before);
            let (mark, after) = mark.split_at(1);
            let (place, after) = digits(after);
            rest = after;
            match mark {
                "#" => out.push_str(&(self.number)(place)),
                "@" => out.push_str(&(self.text)(place)),
                _ => {
                    let (length, after) = digits(rest.trim_start_matches(','));
                    rest = after;
                    out.push_str(&(self.bytes)(place, length));
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
UPDATE ledger SET version = version + 1, writer = $2, next_call = $3
 WHERE version = $1 RETURNING version";

const CALLS: &str = "
INSERT INTO calls (id, call_key, state, worker, reserved_at, day, purpose, dialect, provider, model,
                   gateway_key, session, parent, prompt_hash, prompt_tokens, prompt_micro_dollars,
                   answer_tokens, answer_micro_dollars)
SELECT #0, @1, 'open', $2, #2, #3, @4, @5, @6, @7, #8, @9, #10, @11, #12, #13, #14, #15
  FROM {rows} WHERE {raised}";

const BUDGETS: &str = "
INSERT INTO budgets (scope, day, held_tokens, held_micro_dollars, spent_tokens, spent_micro_dollars,
                     touched)
SELECT @0, #1, #2, #3, #4, #5, #6
  FROM {rows} WHERE {raised}
ON CONFLICT (scope, day) DO UPDATE
   SET held_tokens = excluded.held_tokens, held_micro_dollars = excluded.held_micro_dollars,
       spent_tokens = excluded.spent_tokens, spent_micro_dollars = excluded.spent_micro_dollars,
       touched = excluded.touched";

const SETTLEMENTS: &str = "
UPDATE calls
   SET state = 'settled', settled_at = #1, outcome = @2,
       input_tokens = #3, output_tokens = #4, cached_tokens = #5,
       reasoning_tokens = #6, micro_dollars = #7, estimated = #8,
       raw_bytes = #9, finish = @10, status = #11, error = @12,
       note = @13, kind = coalesce(@14, kind),
       language = coalesce(@15, language)
  FROM {rows}
 WHERE calls.id = #0 AND {raised}";

// A piece that was put back because its write may have failed may be there already, and the call of a
// late text may have been taken over, or decided about and forgotten.
const PIECES: &str = "
INSERT INTO call_pieces (call, position, content)
SELECT #0, #1, %2,3
  FROM {rows}
 WHERE EXISTS (SELECT 1 FROM calls WHERE calls.id = #0 AND epoch = #4) AND {raised}
ON CONFLICT (call, position) DO NOTHING";

const TEXTS: &str = "
INSERT INTO call_texts (call, slot, content)
SELECT #0, @1, %2,3
  FROM {rows} WHERE EXISTS (SELECT 1 FROM calls WHERE calls.id = #0) AND {raised}
ON CONFLICT (call, slot) DO UPDATE SET content = excluded.content";

const COUNTS: &str = "
INSERT INTO inspections (day, kind, model, language, outcome, counted)
SELECT #0, @1, @2, @3, @4, #5
  FROM {rows} WHERE {raised}
ON CONFLICT (day, kind, model, language, outcome) DO UPDATE
   SET counted = inspections.counted + excluded.counted";

const LATE: &str = "
INSERT INTO call_tries (call, epoch, state, worker, reserved_at, day, gateway_key, session,
                        counted_tokens, counted_micro_dollars, settled_at, outcome, input_tokens,
                        output_tokens, cached_tokens, reasoning_tokens, micro_dollars, note,
                        content)
SELECT #0, #1, 'late', $2, #2, #3, #4, @5, #6, #7, #8, @9, #10, #11, #12, #13, #14, @15, %16,17
  FROM {rows} WHERE {raised}
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
INSERT INTO workers (worker, seen_at, process) SELECT $2, $4, $6 WHERE {raised}
ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at";
