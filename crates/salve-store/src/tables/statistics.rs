//! How texts were judged, and the outcome of them, counted.
//!
//! In: one judgement at a time. Out: counts by kind of cut, model and language, and how many were
//! healed. Never the texts.

use super::Table;
use crate::commit::{Rollback, Transaction};
use crate::ledger::Op;
use crate::migrations::Migration;
use crate::redacted::Redactor;
use crate::sql::{Row, query};
use crate::writer::Message;
use crate::{CallId, Durability, Store, StoreError};
use salve_types::{CallOutcome, Timestamp};
use serde::Serialize;
use std::collections::BTreeMap;

/// One answer, as it is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnswerStat {
    /// The kind of cut, such as `OPEN_JSON`; `None` when it was whole as it came.
    pub kind: Option<String>,
    /// The model that answered.
    pub model: String,
    /// The language of the answer.
    pub language: String,
    /// The outcome.
    pub outcome: AnswerOutcome,
}

impl AnswerStat {
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        Self {
            kind: self.kind.map(|kind| redactor.name(&kind)),
            model: redactor.name(&self.model),
            language: redactor.name(&self.language),
            outcome: self.outcome,
        }
    }
}

/// The outcome of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnswerOutcome {
    /// It was whole as it came.
    Whole,
    /// It was cut or wrong, and became whole.
    Healed,
    /// It was cut or wrong, and stayed so.
    Incomplete,
    /// A person said that it was not cut after all. A mark on top of the judgement, not one itself.
    FalseAlarm,
}

impl AnswerOutcome {
    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Healed => "healed",
            Self::Incomplete => "incomplete",
            Self::FalseAlarm => "false_alarm",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Whole, Self::Healed, Self::Incomplete, Self::FalseAlarm]
            .into_iter()
            .find(|outcome| outcome.name() == name)
    }
}

/// Counts of one kind of cut, model or language, or of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Whole as they came.
    pub whole: u64,
    /// Became whole.
    pub healed: u64,
    /// Did not.
    pub incomplete: u64,
    /// Marked by a person as not cut.
    pub false_alarms: u64,
}

impl Counts {
    /// Returns how many were judged.
    pub const fn judged(self) -> u64 {
        self.whole + self.healed + self.incomplete
    }

    /// Returns the share of broken answers that became whole; none when none was broken.
    pub fn heal_rate(self) -> Option<f64> {
        let broken = self.healed + self.incomplete;
        (broken > 0).then(|| self.healed as f64 / broken as f64)
    }

    /// Counts some more.
    pub(crate) fn add(&mut self, outcome: AnswerOutcome, count: u64) {
        *match outcome {
            AnswerOutcome::Whole => &mut self.whole,
            AnswerOutcome::Healed => &mut self.healed,
            AnswerOutcome::Incomplete => &mut self.incomplete,
            AnswerOutcome::FalseAlarm => &mut self.false_alarms,
        } += count;
    }
}

/// One line of the statistics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CountedName {
    /// The kind, model or language.
    pub name: String,
    /// Its counts.
    #[serde(flatten)]
    pub counts: Counts,
}

/// How often a model's answers were cut in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CountedCut {
    /// The model.
    pub model: String,
    /// The kind of cut.
    pub kind: String,
    /// How many were.
    pub cut: u64,
    /// How many of them became whole.
    pub healed: u64,
}

/// All counts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// Of everything.
    pub total: Counts,
    /// By kind of cut, most frequent first. Answers that were whole as they came have none.
    pub by_kind: Vec<CountedName>,
    /// By model, most frequent first.
    pub by_model: Vec<CountedName>,
    /// By language, most frequent first.
    pub by_language: Vec<CountedName>,
}

impl Store {
    /// Counts an answer besides those that are counted with the settlement of their call. Never
    /// waits.
    pub fn count_answer(&self, stat: AnswerStat) {
        // A store that was closed counts no more, and has no caller to answer.
        let _ = self.send(Message::Ledger(Op::Count(stat.redacted(self.redactor()))));
    }

    /// Says what the answer of a call was found to be that was settled as answered and no more. The
    /// answer is not counted here. A call that was judged before stays as it is.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn judge_call(
        &self,
        id: CallId,
        outcome: CallOutcome,
        stat: Option<&AnswerStat>,
    ) -> Result<(), StoreError> {
        let stat = stat.map(|stat| stat.clone().redacted(self.redactor()));
        // As safe as the row it is about: the gateway says it for every call.
        self.write(self.usual_durability(), "judge a call", move |tx| {
            Box::pin(judge(tx, id, outcome, stat))
        })
        .await
    }

    /// Marks the judgement that the answer of a call was cut as a false alarm. Twice counts once.
    ///
    /// # Errors
    /// When there is no such call, it was not judged to be cut, or the database refuses.
    pub async fn mark_false_positive(&self, id: CallId) -> Result<(), StoreError> {
        self.write(Durability::Full, "mark a call", move |tx| Box::pin(mark_false_alarm(tx, id)))
            .await
    }

    /// Returns how answers were judged since a moment, or ever; by days in UTC.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn stats(&self, since: Option<Timestamp>) -> Result<Statistics, StoreError> {
        let doing = "read the statistics";
        let rows = query(
            "SELECT kind, model, language, outcome, CAST(sum(counted) AS BIGINT) FROM inspections
              WHERE ($1 IS NULL OR day >= $1) GROUP BY kind, model, language, outcome",
        )
        .bind(since.map(Timestamp::day))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        summed(&rows).map_err(StoreError::database(doing))
    }
}

impl Store {
    /// Returns which kinds of cuts the answers of each model had since a moment, or ever; the most frequent first.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn cuts_by_model(
        &self,
        since: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<CountedCut>, StoreError> {
        let doing = "read the cuts by model";
        let rows = query(
            "SELECT model, kind, CAST(sum(counted) AS BIGINT) AS cut,
                    CAST(sum(CASE WHEN outcome = 'healed' THEN counted ELSE 0 END) AS BIGINT)
               FROM inspections
              WHERE kind <> '' AND outcome IN ('healed', 'incomplete') AND ($1 IS NULL OR day >= $1)
              GROUP BY model, kind ORDER BY cut DESC, model, kind LIMIT $2",
        )
        .bind(since.map(Timestamp::day))
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await
        .map_err(StoreError::database(doing))?;
        let number = |row: &Row, at: usize| {
            Ok::<_, sqlx::Error>(u64::try_from(row.try_get::<i64>(at)?).unwrap_or_default())
        };
        let read = |row: &Row| {
            Ok::<_, sqlx::Error>(CountedCut {
                model: row.try_get(0)?,
                kind: row.try_get(1)?,
                cut: number(row, 2)?,
                healed: number(row, 3)?,
            })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::database(doing))
    }
}

async fn judge(
    tx: &mut Transaction<'_>,
    id: CallId,
    outcome: CallOutcome,
    stat: Option<AnswerStat>,
) -> Result<(), Rollback> {
    let (kind, language) = stat.map_or((None, None), |stat| (stat.kind, Some(stat.language)));
    query(
        "UPDATE calls SET outcome = $1, kind = coalesce($2, kind),
                language = coalesce($3, language)
          WHERE id = $4 AND state = 'settled' AND outcome = $5",
    )
    .bind(outcome.name())
    .bind(kind)
    .bind(language)
    .bind(id.0)
    .bind(CallOutcome::Answered.name())
    .execute(tx)
    .await?;
    Ok(())
}

async fn mark_false_alarm(tx: &mut Transaction<'_>, id: CallId) -> Result<(), Rollback> {
    let row = query("SELECT kind, model, language, false_alarm, day FROM calls WHERE id = $1")
        .bind(id.0)
        .fetch_optional(&mut *tx)
        .await?
        .ok_or(StoreError::NoSuchCall(id))?;
    let kind = row.try_get::<Option<String>>(0)?.ok_or(StoreError::NotCut(id))?;
    if row.try_get::<i64>(3)? != 0 {
        return Ok(());
    }
    query("UPDATE calls SET false_alarm = 1 WHERE id = $1").bind(id.0).execute(&mut *tx).await?;
    query(
        "INSERT INTO inspections (day, kind, model, language, outcome, counted)
         VALUES ($1, $2, $3, $4, $5, 1)
         ON CONFLICT (day, kind, model, language, outcome) DO UPDATE
            SET counted = inspections.counted + 1",
    )
    .bind(row.try_get::<i64>(4)?)
    .bind(kind)
    .bind(row.try_get::<String>(1)?)
    .bind(row.try_get::<Option<String>>(2)?.unwrap_or_default())
    .bind(AnswerOutcome::FalseAlarm.name())
    .execute(tx)
    .await?;
    Ok(())
}

fn summed(rows: &[Row]) -> Result<Statistics, sqlx::Error> {
    let mut total = Counts::default();
    let mut by: [BTreeMap<String, Counts>; 3] = Default::default();
    for row in rows {
        let count = u64::try_from(row.try_get::<i64>(4)?).unwrap_or_default();
        let Some(outcome) = AnswerOutcome::from_name(&row.try_get::<String>(3)?) else {
            continue;
        };
        total.add(outcome, count);
        for (at, counts) in by.iter_mut().enumerate() {
            let name: String = row.try_get(at)?;
            // What was whole has no kind.
            if !(at == 0 && name.is_empty()) {
                counts.entry(name).or_default().add(outcome, count);
            }
        }
    }
    let [by_kind, by_model, by_language] = by.map(|counts| {
        let mut lines: Vec<CountedName> =
            counts.into_iter().map(|(name, counts)| CountedName { name, counts }).collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.counts.judged()));
        lines
    });
    Ok(Statistics { total, by_kind, by_model, by_language })
}

/// Counts of answers, by day.
pub(crate) const TABLE: Table = Table {
    names: &["inspections"],
    migrations: &[Migration {
        version: 4,
        name: "0004_statistics",
        sql: MIGRATION,
        #[cfg(test)]
        rows: tests::ROWS,
    }],
    #[cfg(test)]
    conforms: tests::conforms,
};

const MIGRATION: &str = "
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
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Conforming;
    use crate::{NewCall, Reservation, Settled};

    pub(super) const ROWS: &str =
        "INSERT INTO inspections VALUES (5, 'OPEN_JSON', 'm', 'json', 'healed', 3);
     UPDATE calls SET kind = 'OPEN_JSON', language = 'json' WHERE id = 1;";

    pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
        Box::pin(async move {
            let reserved = store.reserve_unkeyed(NewCall::default()).await;
            let Ok(Reservation::Fresh(open)) = reserved else { panic!("{reserved:?}") };
            let id = open.id();
            let stat = AnswerStat {
                kind: Some("OPEN_JSON".to_owned()),
                model: text.to_owned(),
                language: text.to_owned(),
                outcome: AnswerOutcome::Healed,
            };
            open.settle(Settled { stat: Some(stat), ..Settled::default() }).await.expect("settled");
            store.mark_false_positive(id).await.expect("marked");
            let total = store.stats(None).await.expect("read").total;
            assert_eq!(total, Counts { healed: 1, false_alarms: 1, ..Counts::default() });
            let cuts = store.cuts_by_model(None, 10).await.expect("read");
            let [cut] = cuts.as_slice() else { panic!("{cuts:?}") };
            // A false alarm is a mark on a cut, not another cut.
            assert_eq!((cut.kind.as_str(), cut.cut, cut.healed), ("OPEN_JSON", 1, 1));
            let days = store.spending_by_day(2).await.expect("read");
            assert!(days.len() == 1 && days.iter().all(|day| day.day > 0), "{days:?}");
        })
    }
}
