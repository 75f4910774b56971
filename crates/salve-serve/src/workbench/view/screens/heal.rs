//! Heal: start one, what heals tried and where they are on the ladder, the fix that was checked, and breakers.
//!
//! In: heals with their attempts, counts of errors. Out: the screen. Never says healed of what no check passed.

use super::{ACTIONS, FileDiff, counted, file_diffs, hash, post_button, terminal};
use crate::workbench::view::chart::thousands;
use crate::workbench::view::parts::{
    Tone, badge, card, empty, moment, notice, screen_head, short, table,
};
use maud::{Markup, html};
use serde_json::json;

/// A try at a fix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AttemptView {
    /// Which.
    pub(crate) number: u32,
    /// The rung of the ladder: where the fix is from.
    pub(crate) source: String,
    /// The role of the model.
    pub(crate) tier: Option<String>,
    /// Who made it.
    pub(crate) author: String,
    /// What it does.
    pub(crate) description: String,
    /// What happened.
    pub(crate) result: String,
    /// The same in words.
    pub(crate) detail: String,
    /// Whether it failed for good.
    pub(crate) failed: bool,
    /// Tokens.
    pub(crate) tokens: u64,
    /// How long it took.
    pub(crate) milliseconds: u64,
}

/// A heal.
#[derive(Debug, Clone, Default)]
pub(crate) struct HealView {
    /// Its job.
    pub(crate) id: String,
    /// How far it is, or how it ended.
    pub(crate) status: String,
    /// What its loop said last.
    pub(crate) stage: String,
    /// Whether it runs.
    pub(crate) running: bool,
    /// When it began.
    pub(crate) at: i64,
    /// What it tried, in order.
    pub(crate) attempts: Vec<AttemptView>,
    /// Errors before and after, once it has ended.
    pub(crate) errors: Option<(u64, u64)>,
    /// Why the fix is believed, or what is still wrong.
    pub(crate) story: Vec<String>,
    /// The change as it was made in the shadow, or written.
    pub(crate) diff: Vec<FileDiff>,
    /// The change set that was written.
    pub(crate) change: Option<String>,
    /// Whether a person has to allow it.
    pub(crate) held: bool,
}

/// An error that heals left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BreakerView {
    /// Its signature.
    pub(crate) signature: String,
    /// What the tools said.
    pub(crate) error: String,
    /// How many heals in a row left it.
    pub(crate) heals: u32,
    /// Where the breaker trips.
    pub(crate) limit: u32,
    /// When it was last left.
    pub(crate) at: i64,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct HealsView {
    /// The rungs of the ladder, in order.
    pub(crate) ladder: Vec<String>,
    /// Heals, newest first.
    pub(crate) heals: Vec<HealView>,
    /// Breakers.
    pub(crate) breakers: Vec<BreakerView>,
}

/// Draws the screen.
pub(crate) fn heal_screen(view: &HealsView) -> Markup {
    let running = view.heals.iter().any(|heal| heal.running);
    html! {
        (screen_head("Heal", "A failing check, mended step by step beside your files. Only a fix that passes the check is written.", &html! {}))
        (card("Start one", &start(running)))
        @if running { span.unseen data-reload="4" {} }
        @if view.heals.is_empty() {
            (empty("❤️‍🩹", "No heal yet", "A heal runs the project's own check, tries free fixes first, then what was learned, then a model, each in a copy of the tree.",
                &["Press “Heal now” above", "Or in the terminal: salve heal", "Watch the attempts here"]))
        }
        @for (at, heal) in view.heals.iter().enumerate() { (heal_card(&view.ladder, heal, at == 0)) }
        section #breakers.card { h2 { "Breakers" } (breakers(&view.breakers)) }
    }
}

fn start(running: bool) -> Markup {
    let body = json!({ "from": "workbench", "kind": "error", "auto_fix": true });
    html! {
        p { "Salve checks the project, and heals what is red. It runs no command but the project's own checks." }
        @if running { (notice(Tone::Info, "A heal runs", &html! { p { "One works on a workspace at a time; a second waits or is refused." } })) }
        div.form data-fields="" {
            label for="heal-text" { "What is wrong?" }
            input #heal-text type="text" name="text" value="the check fails" autocomplete="off";
            div.actions {
                (post_button("Heal now", "/api/v1/reports", &body, "primary"))
                span.dim { "The same in the terminal: " (terminal("salve heal")) }
            }
        }
    }
}

fn heal_card(ladder: &[String], heal: &HealView, open: bool) -> Markup {
    html! {
        section.card.heal aria-label={ "Heal " (heal.id) } {
            h2 { (super::outcome_badge(&heal.status)) " Heal " (hash(&heal.id)) " " span.dim { (moment(heal.at)) } }
            @if let Some((before, after)) = heal.errors { p { (counted(usize::try_from(before).unwrap_or(usize::MAX), "error")) " before, " (after) " after" } }
            @if !heal.stage.is_empty() { p.dim { (short(&heal.stage, 200)) } }
            (ladder_line(ladder, heal))
            @if heal.held { (notice(Tone::Wait, "The fix waits for you", &html! { p { "It passes the check and is not written. Your word decides: " (terminal("salve heal --yes")) } })) }
            @if !heal.story.is_empty() { ul.fixes { @for line in &heal.story { li { (line) } } } }
            details open[open || heal.running] {
                summary { (counted(heal.attempts.len(), "attempt")) }
                (attempts(&heal.id, &heal.attempts))
            }
            @if !heal.diff.is_empty() {
                details open[open] { summary { "The fix, as it was checked in the shadow" } (file_diffs(&heal.diff)) }
            }
            @if let Some(change) = &heal.change { p { "Written as change " (hash(change)) ": " a href="/history" { "History" } } }
        }
    }
}

// The rungs that were tried are marked, the last one is where it is.
fn ladder_line(ladder: &[String], heal: &HealView) -> Markup {
    let last = heal.attempts.last().map(|attempt| attempt.source.as_str());
    html! {
        ol.ladder aria-label="Ladder" {
            @for rung in ladder {
                @let tried = heal.attempts.iter().filter(|attempt| attempt.source == *rung).count();
                li class=[(tried > 0).then_some("tried")] aria-current=[(last == Some(rung.as_str())).then_some("step")] {
                    (rung.replace('_', " ")) @if tried > 0 { " (" (tried) ")" }
                }
            }
        }
    }
}

fn attempts(heal: &str, attempts: &[AttemptView]) -> Markup {
    if attempts.is_empty() {
        return html! { p.dim { "Nothing was tried yet." } };
    }
    let row = |one: &AttemptView| {
        let tone = if one.failed { Tone::Bad } else { Tone::Plain };
        vec![
            html! { (one.number) },
            html! { (one.source) @if let Some(tier) = &one.tier { " · " (tier) } br; span.dim { (one.author) } },
            html! { (short(&one.description, 160)) },
            html! { (badge(tone, &one.result.replace('_', " "))) @if !one.detail.is_empty() { br; span.dim { (short(&one.detail, 200)) } } },
            html! { (thousands(one.tokens)) },
            html! { (thousands(one.milliseconds)) " ms" },
        ]
    };
    let rows: Vec<Vec<Markup>> = attempts.iter().map(row).collect();
    table(
        &format!("Attempts of heal {heal}"),
        &["#", "From", "What it does", "Result", "Tokens", "Took"],
        &rows,
    )
}

fn breakers(breakers: &[BreakerView]) -> Markup {
    if breakers.is_empty() {
        return html! { p.dim { "No breaker counts. An error that several heals in a row could not mend trips one: no model is asked about it any more, until you reset it." } };
    }
    let row = |one: &BreakerView| {
        let tripped = one.heals >= one.limit;
        vec![
            html! { (short(&one.error, 140)) br; span.dim { (hash(&one.signature)) } },
            html! { (one.heals) " of " (one.limit) },
            if tripped { badge(Tone::Bad, "tripped") } else { badge(Tone::Plain, "counting") },
            html! { (moment(one.at)) },
            post_button(
                "Reset",
                ACTIONS,
                &json!({ "type": "resetBreaker", "signature": one.signature }),
                "small",
            ),
        ]
    };
    let rows: Vec<Vec<Markup>> = breakers.iter().map(row).collect();
    html! {
        (table("Breakers", &["Error", "Heals that left it", "State", "Last", "Decide"], &rows))
        div.actions { (post_button("Reset all", ACTIONS, &json!({ "type": "resetBreaker" }), "")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heal_shows_its_place_on_the_ladder() {
        let attempt = |source: &str, failed| AttemptView {
            source: source.into(),
            failed,
            result: "no_progress".into(),
            ..AttemptView::default()
        };
        let heal = HealView {
            id: "h1".into(),
            running: true,
            attempts: vec![attempt("fixer", true), attempt("rule", false)],
            ..HealView::default()
        };
        let view = HealsView {
            ladder: vec!["fixer".into(), "rule".into(), "model".into()],
            heals: vec![heal],
            ..HealsView::default()
        };
        let drawn = heal_screen(&view).into_string();
        assert!(drawn.contains("<li class=\"tried\">fixer (1)</li>"), "{drawn}");
        assert!(
            drawn.contains("<li class=\"tried\" aria-current=\"step\">rule (1)</li><li>model</li>"),
            "{drawn}"
        );
        assert!(
            drawn.contains("no progress")
                && drawn.contains("Heal now")
                && drawn.contains("data-reload"),
            "{drawn}"
        );
    }

    #[test]
    fn breakers_can_be_reset() {
        let one =
            BreakerView { signature: "sig".into(), error: "<i>".into(), heals: 3, limit: 3, at: 0 };
        let drawn =
            heal_screen(&HealsView { breakers: vec![one], ..HealsView::default() }).into_string();
        assert!(
            drawn.contains("tripped")
                && drawn.contains("resetBreaker")
                && drawn.contains("Reset all"),
            "{drawn}"
        );
        assert!(!drawn.contains("<i>") && drawn.contains("No heal yet"), "{drawn}");
    }
}
