//! Home: what was done for this workspace.
//!
//! In: counts, days and the newest decisions. Out: the screen. Never a figure without what it is of.

use super::{hash, outcome_badge, terminal};
use crate::workbench::view::chart::{Point, bars_over_time, dollars, level_bars, thousands};
use crate::workbench::view::parts::{
    Tone, card, empty, moment, notice, screen_head, short, stat, table,
};
use maud::{Markup, html};

/// A day of spending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DayView {
    /// As people write it.
    pub(crate) day: String,
    /// Tokens.
    pub(crate) tokens: u64,
    /// Millionths of a dollar.
    pub(crate) micro_dollars: u64,
}

/// How often the answers of a model were cut in one way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CutView {
    /// The model.
    pub(crate) model: String,
    /// The kind.
    pub(crate) kind: String,
    /// How often.
    pub(crate) cut: u64,
    /// How many of those became whole.
    pub(crate) healed: u64,
}

/// A decision in a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RecentView {
    /// What was decided.
    pub(crate) what: String,
    /// Which way.
    pub(crate) choice: String,
    /// What it is about.
    pub(crate) about: String,
    /// When.
    pub(crate) at: i64,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct HomeView {
    /// Whether the answers are those of the practice model.
    pub(crate) practice: bool,
    /// How many days the figures are of.
    pub(crate) days: u32,
    /// Broken answers that became whole.
    pub(crate) answers_healed: u64,
    /// Broken answers that did not.
    pub(crate) answers_incomplete: u64,
    /// Heals of this workspace, and those that healed, and those without a model.
    pub(crate) heals: (u64, u64, u64),
    /// Changes that were blocked.
    pub(crate) blocked: u64,
    /// Changes that were taken back.
    pub(crate) taken_back: u64,
    /// Changes that are in the files.
    pub(crate) applied: u64,
    /// Rules in use.
    pub(crate) rules: u64,
    /// Errors that are known.
    pub(crate) patterns: u64,
    /// Tokens that knowledge saved.
    pub(crate) saved_tokens: u64,
    /// What was spent, day by day, each day once.
    pub(crate) spent: Vec<DayView>,
    /// Cuts by model.
    pub(crate) cuts: Vec<CutView>,
    /// The newest decisions.
    pub(crate) recent: Vec<RecentView>,
    /// Sessions that wait for a person: id and title.
    pub(crate) waiting: Vec<(String, String)>,
}

impl HomeView {
    fn is_empty(&self) -> bool {
        let counted = self.answers_healed + self.answers_incomplete + self.heals.0 + self.blocked;
        counted + self.applied + self.taken_back == 0
            && self.spent.iter().all(|day| day.tokens == 0)
    }
}

/// Draws the screen.
pub(crate) fn home_screen(view: &HomeView) -> Markup {
    let about =
        format!("What Salve did here. Figures over time are those of the last {} days.", view.days);
    html! {
        (screen_head("Home", &about, &html! { a.button href="/chat" { "Open Chat" } }))
        @for (id, title) in &view.waiting {
            (notice(Tone::Wait, "Something waits for you", &html! { p { a href={ "/chat/" (id) } { (super::titled(title)) } } }))
        }
        @if view.is_empty() { (first_steps(view.practice)) }
        div.stats {
            (stat("healed", &thousands(view.answers_healed + view.heals.1), Tone::Good, &healed_note(view)))
            (stat("blocked", &thousands(view.blocked), Tone::Wait, "nothing was written"))
            (stat("rolled back", &thousands(view.taken_back), Tone::Plain, &format!("{} in place", thousands(view.applied))))
            (stat("learned", &thousands(view.rules), Tone::Plain, &learned_note(view)))
        }
        div.cards {
            (card("Tokens over time", &tokens(view)))
            (card("Cost over time", &cost(view)))
        }
        (card("Cut kinds by model", &cuts(&view.cuts)))
        (card("What was decided last", &recent(&view.recent)))
    }
}

fn healed_note(view: &HomeView) -> String {
    let (_, healed, free) = view.heals;
    format!("{} answers, {healed} builds, {free} without a model", thousands(view.answers_healed))
}

fn learned_note(view: &HomeView) -> String {
    let known = format!("rules; {} known errors", thousands(view.patterns));
    if view.saved_tokens == 0 {
        known
    } else {
        format!("{known}, {} tokens saved", thousands(view.saved_tokens))
    }
}

fn first_steps(practice: bool) -> Markup {
    let words = if practice {
        "This is the sample project with the practice model: answers come from a script, and nothing costs anything."
    } else {
        "Ask for a change in the chat. What is cut, chatty or stale is healed or blocked on the way, and counted here."
    };
    let steps: &[&str] = if practice {
        &["Open Chat", "Press one of the suggestions", "Watch what is healed, then rewind it"]
    } else {
        &["Open Chat", "Ask for a change", "Review its hunks, and apply them"]
    };
    empty("🩹", "Nothing was healed yet", words, steps)
}

fn days(view: &HomeView, value: impl Fn(&DayView) -> (u64, String)) -> Vec<Point> {
    let point = |day: &DayView| {
        let (number, shown) = value(day);
        Point { label: day.day.clone(), shown, ..Point::count("", number) }
    };
    view.spent.iter().map(point).collect()
}

fn tokens(view: &HomeView) -> Markup {
    let total: u64 = view.spent.iter().map(|day| day.tokens).sum();
    if total == 0 {
        return html! { p.dim { "No call was paid in these days. Calls of the chat, of heals and of the gateway count here." } };
    }
    let points = days(view, |day| (day.tokens, thousands(day.tokens)));
    html! { (bars_over_time("Tokens a day", &points)) p.dim { (thousands(total)) " tokens in all, of all workspaces" } }
}

fn cost(view: &HomeView) -> Markup {
    let total: u64 = view.spent.iter().map(|day| day.micro_dollars).sum();
    if total == 0 {
        return html! { p.dim { "Nothing was charged. Prices of models are settings; without them, a call counts as free." } };
    }
    let points = days(view, |day| (day.micro_dollars, dollars(day.micro_dollars)));
    html! { (bars_over_time("Dollars a day", &points)) p.dim { (dollars(total)) " in all, of all workspaces" } }
}

fn cuts(cuts: &[CutView]) -> Markup {
    if cuts.is_empty() {
        return html! {
            p.dim { "No answer was cut. The gateway counts the answers of your other tools here, too: " (terminal("salve gateway")) }
        };
    }
    let point = |cut: &CutView| Point::count(format!("{} · {}", cut.model, cut.kind), cut.cut);
    let points: Vec<Point> = cuts.iter().map(point).collect();
    let row = |cut: &CutView| {
        vec![
            html! { (cut.model) },
            html! { code { (cut.kind) } },
            html! { (thousands(cut.cut)) },
            html! { (thousands(cut.healed)) },
        ]
    };
    let rows: Vec<Vec<Markup>> = cuts.iter().map(row).collect();
    html! {
        (level_bars("Answers that were cut", &points))
        (table("Cut kinds by model", &["Model", "Kind", "Cut", "Healed"], &rows))
    }
}

fn recent(recent: &[RecentView]) -> Markup {
    if recent.is_empty() {
        return html! { p.dim { "Fixes that are accepted, rules that are learned and roll-backs are told here, each with its reason." } };
    }
    let row = |one: &RecentView| {
        vec![
            html! { (moment(one.at)) },
            outcome_badge(&one.what),
            html! { (short(&one.choice, 120)) },
            hash(&one.about),
        ]
    };
    let rows: Vec<Vec<Markup>> = recent.iter().map(row).collect();
    html! {
        (table("What was decided last", &["When", "What", "Which way", "About"], &rows))
        p.pages { a href="/audit#decisions" { "All decisions with their evidence" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_home_teaches_and_plots_nothing() {
        let drawn = home_screen(&HomeView { days: 30, ..HomeView::default() }).into_string();
        assert!(
            drawn.contains("<h1>Home</h1>") && drawn.contains("Nothing was healed yet"),
            "{drawn}"
        );
        assert!(drawn.contains("No call was paid") && !drawn.contains("<svg"), "{drawn}");
    }

    #[test]
    fn figures_and_plots_say_what_they_are_of() {
        let day =
            |day: &str, tokens| DayView { day: day.into(), tokens, micro_dollars: tokens * 2 };
        let view = HomeView {
            days: 30,
            answers_healed: 3,
            heals: (2, 1, 1),
            blocked: 4,
            spent: vec![day("2026-11-18", 1_200), day("2026-11-19", 0)],
            cuts: vec![CutView {
                model: "<b>m".into(),
                kind: "OPEN_JSON".into(),
                cut: 5,
                healed: 4,
            }],
            recent: vec![RecentView {
                what: "rule_learned".into(),
                choice: "<img src=x>".into(),
                ..RecentView::default()
            }],
            waiting: vec![("s1".into(), String::new())],
            ..HomeView::default()
        };
        let drawn = home_screen(&view).into_string();
        assert!(
            drawn.contains("aria-label=\"Tokens a day: 2026-11-18 1,200, 2026-11-19 0\""),
            "{drawn}"
        );
        assert!(drawn.contains("3 answers, 1 builds, 1 without a model"), "{drawn}");
        assert!(drawn.contains("OPEN_JSON") && drawn.contains("href=\"/chat/s1\""), "{drawn}");
        assert!(
            !drawn.contains("<img") && !drawn.contains("<b>m") && !drawn.contains("style="),
            "{drawn}"
        );
    }
}
