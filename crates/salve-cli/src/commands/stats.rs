//! `salve stats`: how answers were cut, by kind, model and language, and how many were healed.
//!
//! In: the counts of the ledger. Out: aligned tables, or the same as JSON. Never a text of an answer.

use crate::arguments::{Format, StatsArguments};
use crate::failure::{CommandResult, Ending, Failure};
use crate::table::{Align, table};
use crate::workspace::now;
use crate::{host, output};
use anstyle::Style;
use salve_store::{CountedName, Counts, Statistics};
use salve_types::Timestamp;
use serde_json::{Value, json};

const DAY: u64 = 86_400_000;

/// Runs `salve stats`.
pub(crate) fn run(arguments: &StatsArguments, format: Format) -> CommandResult {
    let since = arguments.days.map(|days| {
        let back = u64::from(days - 1).saturating_mul(DAY);
        Timestamp(i64::try_from(now().saturating_sub(back)).unwrap_or(i64::MAX))
    });
    let statistics =
        host::read_store("stats", async |store| Ok(store.stats(since).await?))?.unwrap_or_default();
    match format {
        Format::Human => output::result(&drawn(&statistics))?,
        _ => output::value(format, &document(&statistics)?)?,
    }
    Ok(Ending::Clean)
}

fn document(statistics: &Statistics) -> Result<Value, Failure> {
    let lines = |lines: &[CountedName]| -> Result<Value, Failure> {
        lines
            .iter()
            .map(|line| {
                let mut counts = counted(line.counts)?;
                if let Some(fields) = counts.as_object_mut() {
                    fields.insert("name".to_owned(), json!(line.name));
                }
                Ok(counts)
            })
            .collect()
    };
    Ok(json!({
        "total": counted(statistics.total)?,
        "byKind": lines(&statistics.by_kind)?,
        "byModel": lines(&statistics.by_model)?,
        "byLanguage": lines(&statistics.by_language)?,
    }))
}

fn counted(counts: Counts) -> Result<Value, Failure> {
    let mut value = serde_json::to_value(counts)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("judged".to_owned(), json!(counts.judged()));
        fields.insert("healRate".to_owned(), json!(counts.heal_rate()));
    }
    Ok(value)
}

fn drawn(statistics: &Statistics) -> String {
    let total = statistics.total;
    if total.judged() == 0 {
        return "no answer was judged yet\n".to_owned();
    }
    let bold = Style::new().bold();
    let mut text = format!(
        "{bold}{} answers judged{bold:#}: {} whole as they came, {} healed, {} incomplete; heal rate {}; \
         {} false alarms\n",
        total.judged(),
        total.whole,
        total.healed,
        total.incomplete,
        rate(total),
        total.false_alarms,
    );
    let sections = [
        ("kind of cut", &statistics.by_kind),
        ("model", &statistics.by_model),
        ("language", &statistics.by_language),
    ];
    for (name, lines) in sections {
        if lines.is_empty() {
            continue;
        }
        text.push('\n');
        text.push_str(&section(name, lines));
    }
    text
}

fn section(name: &str, lines: &[CountedName]) -> String {
    let columns = [
        (name, Align::Left),
        ("judged", Align::Right),
        ("whole", Align::Right),
        ("healed", Align::Right),
        ("incomplete", Align::Right),
        ("heal rate", Align::Right),
        ("false alarms", Align::Right),
    ];
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|line| {
            let counts = line.counts;
            vec![
                line.name.clone(),
                counts.judged().to_string(),
                counts.whole.to_string(),
                counts.healed.to_string(),
                counts.incomplete.to_string(),
                rate(counts),
                counts.false_alarms.to_string(),
            ]
        })
        .collect();
    table(&columns, &rows)
}

fn rate(counts: Counts) -> String {
    counts.heal_rate().map_or("-".to_owned(), |rate| format!("{:.1} %", rate * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(whole: u64, healed: u64, incomplete: u64, false_alarms: u64) -> Counts {
        Counts { whole, healed, incomplete, false_alarms }
    }

    #[test]
    fn t38_statistics_are_aligned_and_have_heal_rates() {
        let line = |name: &str, counts| CountedName { name: name.to_owned(), counts };
        let statistics = Statistics {
            total: counts(90, 9, 1, 1),
            by_kind: vec![
                line("OPEN_JSON", counts(0, 9, 0, 0)),
                line("OPEN_DOUBLE_QUOTE", counts(0, 0, 1, 1)),
            ],
            by_model: vec![line("a", counts(90, 9, 1, 1))],
            by_language: vec![line("json", counts(90, 0, 0, 0))],
        };
        let text = drawn(&statistics);
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r"
        100 answers judged: 90 whole as they came, 9 healed, 1 incomplete; heal rate 90.0 %; 1 false alarms

        kind of cut        judged  whole  healed  incomplete  heal rate  false alarms
        OPEN_JSON               9      0       9           0    100.0 %             0
        OPEN_DOUBLE_QUOTE       1      0       0           1      0.0 %             1

        model  judged  whole  healed  incomplete  heal rate  false alarms
        a         100     90       9           1     90.0 %             1

        language  judged  whole  healed  incomplete  heal rate  false alarms
        json          90     90       0           0          -             0
        ");
        let document = document(&statistics).unwrap();
        assert_eq!(document["total"]["healRate"], 0.9);
        assert_eq!(document["byKind"][0]["name"], "OPEN_JSON");
        assert_eq!(document["byLanguage"][0]["healRate"], Value::Null);
        assert_eq!(drawn(&Statistics::default()), "no answer was judged yet\n");
    }
}
