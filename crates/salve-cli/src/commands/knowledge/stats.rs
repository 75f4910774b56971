//! `salve knowledge stats`: what knowledge saved.
//!
//! In: what heals cost, and the rules. Out: a plot of the days, sums, the best and the worst rules. Never a sum
//! of others: each person counts their own.

use super::{draw, look};
use crate::arguments::{Format, PlaceArguments};
use crate::commands::gateway_keys::dollars;
use crate::failure::{CommandResult, Ending};
use crate::output;
use salve_store::{KnowledgeDay, KnowledgeStats};
use serde_json::{Value, json};

/// The width of the longest bar.
const WIDTH: u64 = 40;
/// The days that are drawn.
const DRAWN: usize = 30;

/// Runs `salve knowledge stats`.
pub(super) fn run(
    store: &PlaceArguments,
    workspace: Option<&str>,
    days: u32,
    format: Format,
) -> CommandResult {
    let found = look(store, async |store| Ok(store.knowledge_stats(workspace, days).await?))?;
    let stats = found.unwrap_or_default();
    match format {
        Format::Human => output::as_drawn(&drawn(&stats))?,
        _ => output::value(format, &document(&stats))?,
    }
    Ok(Ending::Clean)
}

fn document(stats: &KnowledgeStats) -> Value {
    let mut value = json!(stats);
    if let Some(fields) = value.as_object_mut() {
        for (name, rules) in [("best", &stats.best), ("worst", &stats.worst)] {
            let rules: Vec<Value> = rules.iter().map(draw::rule_value).collect();
            fields.insert(name.to_owned(), json!(rules));
        }
        let days = |day: &KnowledgeDay| {
            let mut value = json!(day);
            if let Some(fields) = value.as_object_mut() {
                fields.insert("date".to_owned(), json!(date(day)));
            }
            value
        };
        let days: Vec<Value> = stats.days.iter().map(days).collect();
        fields.insert("days".to_owned(), json!(days));
    }
    value
}

fn drawn(stats: &KnowledgeStats) -> String {
    let mut text = format!(
        "known: {} errors, {} fixes that work, {} that failed\n\
         rules: {} in use, {} quarantined, {} out of use, {} pinned\n",
        stats.patterns,
        stats.working_fixes,
        stats.failed_fixes,
        stats.active_rules,
        stats.quarantined_rules,
        stats.disabled_rules,
        stats.pinned_rules,
    );
    let total = stats.total;
    if total.heals == 0 {
        text.push_str("no heal in this time\n");
        return text;
    }
    text.push_str(&format!(
        "heals: {} of {} healed, {} without a model\n\
         saved: {} tokens, {}; spent: {} tokens, {}\n\n",
        total.healed,
        total.heals,
        total.without_model,
        total.saved.tokens,
        dollars(total.saved.micro_dollars),
        total.spent.tokens,
        dollars(total.spent.micro_dollars),
    ));
    text.push_str(&plot(&stats.days));
    for (name, rules) in [("best rules", &stats.best), ("worst rules", &stats.worst)] {
        if !rules.is_empty() {
            text.push_str(&format!("\n{name}\n{}", draw::rule_table(rules)));
        }
    }
    text
}

/// A line for each day: `#` for a heal without a model, `+` for one with, `.` for one that did not heal.
fn plot(days: &[KnowledgeDay]) -> String {
    let shown = days.get(days.len().saturating_sub(DRAWN)..).unwrap_or_default();
    let most = shown.iter().map(|day| day.heals).max().unwrap_or(0).max(1);
    let mut text = String::from("# without a model, + with one, . not healed\n");
    for day in shown {
        let scaled =
            |count: u64| if most <= WIDTH { count } else { (count * WIDTH).div_ceil(most) };
        let bar = |sign: &str, count: u64| sign.repeat(usize::try_from(scaled(count)).unwrap_or(0));
        let with = day.healed.saturating_sub(day.without_model);
        let bars = format!(
            "{}{}{}",
            bar("#", day.without_model),
            bar("+", with),
            bar(".", day.heals.saturating_sub(day.healed))
        );
        text.push_str(&format!("{}  {bars}  {}\n", date(day), day.heals));
    }
    text
}

fn date(day: &KnowledgeDay) -> String {
    day.day.to_string().chars().take(10).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_types::{Spend, Timestamp};

    #[test]
    fn a_day_is_a_line_and_the_longest_bar_fits() {
        let day = |day: i64, heals, healed, without_model| KnowledgeDay {
            day: Timestamp(day * 86_400_000),
            heals,
            healed,
            without_model,
            spent: Spend { tokens: 100, micro_dollars: 2_500_000 },
            saved: Spend { tokens: 900, micro_dollars: 0 },
        };
        let days = vec![day(20_000, 5, 4, 1), day(20_002, 80, 80, 79)];
        insta::assert_snapshot!(plot(&days), @r"
        # without a model, + with one, . not healed
        2024-10-04  #++.  5
        2024-10-06  ########################################+  80
        ");
        let stats = KnowledgeStats { total: days[0], days, ..KnowledgeStats::default() };
        let text = drawn(&stats);
        assert!(text.contains("heals: 4 of 5 healed, 1 without a model"), "{text}");
        assert!(text.contains("saved: 900 tokens"), "{text}");
        assert_eq!(document(&stats)["days"][0]["date"], "2024-10-04");
        assert!(drawn(&KnowledgeStats::default()).ends_with("no heal in this time\n"));
    }
}
