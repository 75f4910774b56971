//! Audit and errors: what a model wrote beside what was read from it, what was decided and why, and faults.
//!
//! In: pairs of a session, decisions, faults. Out: the screen. Every text of a model is shown as text. Never half a
//! text without saying so.

use super::{
    ACTIONS, SessionChoice, counted, hash, older, post_button, raw_text, sessions_menu, terminal,
};
use crate::workbench::view::chart::thousands;
use crate::workbench::view::parts::{
    Tone, badge, card, empty, moment, notice, screen_head, short, table, utc,
};
use maud::{Markup, html};
use serde_json::json;

/// A request with what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PairView {
    /// The turn.
    pub(crate) turn: u32,
    /// What was asked.
    pub(crate) message: String,
    /// The model.
    pub(crate) model: String,
    /// Why it stopped.
    pub(crate) finish: Option<String>,
    /// How the turn ended.
    pub(crate) status: String,
    /// Tokens of the prompt and of the answer.
    pub(crate) tokens: (u64, u64),
    /// What the model wrote.
    pub(crate) raw: Option<String>,
    /// The hash of that.
    pub(crate) raw_hash: Option<String>,
    /// What was read from it.
    pub(crate) parsed: Option<String>,
    /// What the model was told first.
    pub(crate) prompt: Option<String>,
    /// The hash of that.
    pub(crate) prompt_hash: Option<String>,
    /// Whether the text is only a part of an answer.
    pub(crate) partial: bool,
    /// What was blocked of it, and by which evidence.
    pub(crate) blocked: Vec<String>,
    /// When.
    pub(crate) at: i64,
}

/// A decision with its evidence.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DecisionView {
    /// Its id.
    pub(crate) id: String,
    /// What was decided.
    pub(crate) what: String,
    /// Which way.
    pub(crate) choice: String,
    /// Which other ways there were.
    pub(crate) alternatives: Vec<String>,
    /// Why.
    pub(crate) reasoning: Option<String>,
    /// Who.
    pub(crate) by: String,
    /// How sure.
    pub(crate) confidence: Option<f64>,
    /// The module it is about.
    pub(crate) module: String,
    /// The job.
    pub(crate) job: String,
    /// Whether it is pinned, and why.
    pub(crate) pinned: Option<String>,
    /// What took its place.
    pub(crate) superseded_by: Option<String>,
    /// When.
    pub(crate) at: i64,
}

/// A fault of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BugView {
    /// The session.
    pub(crate) session: SessionChoice,
    /// What kind.
    pub(crate) kind: String,
    /// Who reported it.
    pub(crate) by: String,
    /// What happened.
    pub(crate) description: String,
    /// The turn.
    pub(crate) turn: u32,
    /// When.
    pub(crate) at: i64,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct AuditView {
    /// The sessions of the workspace.
    pub(crate) sessions: Vec<SessionChoice>,
    /// The chosen one.
    pub(crate) session: Option<SessionChoice>,
    /// The turn that the reader came for.
    pub(crate) turn: Option<u32>,
    /// Whether every generation is kept.
    pub(crate) audit: bool,
    /// How many entries there are, and how many were trimmed.
    pub(crate) entries: (usize, u64),
    /// When the session began.
    pub(crate) created: i64,
    /// The pairs, newest first.
    pub(crate) pairs: Vec<PairView>,
    /// Where the older ones are.
    pub(crate) older: Option<String>,
    /// Decisions of the workspace, newest first.
    pub(crate) decisions: Vec<DecisionView>,
    /// Faults, newest first.
    pub(crate) bugs: Vec<BugView>,
}

/// Draws the screen.
pub(crate) fn audit_screen(view: &AuditView) -> Markup {
    let chosen = view.session.as_ref().map(|session| session.id.as_str());
    html! {
        (screen_head("Audit", "What a model wrote beside what was read from it, every decision with its evidence, and faults.",
            &sessions_menu("/audit", chosen, &view.sessions)))
        @if let Some(session) = &view.session { (generations(view, session)) }
        @else {
            (empty("🔍", "Nothing to look into yet", "The first conversation fills this: each request with the raw answer, what was read from it, why the model stopped, and the hashes of both.",
                &["Open Chat", "Ask for something", "Come back to compare raw and parsed"]))
        }
        section #bugs.card { h2 { "Error Dashboard" } (bugs(view)) }
        section #decisions.card { h2 { "Decisions" } (decisions(&view.decisions)) }
    }
}

fn generations(view: &AuditView, session: &SessionChoice) -> Markup {
    let created: String = utc(view.created).chars().take(10).collect();
    card(
        "🔍 Generation Audit",
        &html! {
            p.dim { "Document: debug:" (session.id) " · Entries: " (view.entries.0) " / Created: " (created)
                @if view.entries.1 > 0 { " · Trimmed, oldest first: " (view.entries.1) } }
            @if view.entries.0 == 0 { (no_document(view, session)) }
            @for pair in &view.pairs { (pair_article(view, pair)) }
            @if view.pairs.is_empty() { p.dim { "The session has no turn yet." } }
            (older(view.older.as_deref()))
        },
    )
}

fn no_document(view: &AuditView, session: &SessionChoice) -> Markup {
    notice(
        Tone::Info,
        "No audit document found.",
        &html! {
            @if view.audit { p { "It is on; there was no generation since." } }
            @else {
                p { "To enable audit generation:" }
                ol.steps-list {
                    li { "Press “Save future generations”, or run " (terminal(&format!("salve sessions audit {} --on", session.id))) }
                    li { a href={ "/chat/" (session.id) } { "Go on with the session" } }
                    li { "Come back: each prompt is kept in full, by its hash" }
                }
                div.actions { (post_button("Save future generations", ACTIONS, &json!({ "session": session.id, "type": "setAudit", "on": true }), "")) }
            }
            p.dim { "Future generations will be saved to debug:" (session.id) }
            p.dim { "What the last answer of each turn was is kept anyway, and shown below." }
        },
    )
}

fn pair_article(view: &AuditView, pair: &PairView) -> Markup {
    let this = view.turn == Some(pair.turn);
    let finish = pair.finish.as_deref().unwrap_or("no reason given");
    let truncated = finish == "length" || pair.partial;
    html! {
        article.pair id={ "pair-" (pair.turn) } aria-label={ "Pair " (pair.turn.saturating_sub(1)) } {
            header {
                h3 { "Pair #" (pair.turn.saturating_sub(1)) @if this { " 👈 This pair" } " / "
                    @if pair.model.is_empty() { "no model" } @else { (pair.model) } " / " (finish) }
                p.dim {
                    a href={ "/chat/" (view.session.as_ref().map_or("", |session| session.id.as_str())) "?at=" (pair.turn) "#t" (pair.turn) } { "Turn " (pair.turn) }
                    " · " (moment(pair.at)) " · " (thousands(pair.tokens.0)) " in / " (thousands(pair.tokens.1)) " out · "
                    (super::outcome_badge(&pair.status))
                    @if truncated { " " (badge(Tone::Wait, "⚠️ truncated")) }
                }
                p.dim {
                    @if let Some(known) = &pair.raw_hash { "Hash of the answer " (hash(known)) }
                    @if let Some(known) = &pair.prompt_hash { " · hash of the prompt " (hash(known)) }
                }
            }
            @if !pair.blocked.is_empty() {
                div.notice.bad {
                    p.title { "🚫 Blocked" }
                    ul.fixes { @for line in &pair.blocked { li { (line) } } }
                }
            }
            h4 { "User Message" }
            pre.code tabindex="0" role="group" aria-label="User Message" { code { (pair.message) } }
            div.beside {
                div { (raw_text("Full AI Generation", pair.raw.as_deref().unwrap_or("No answer was kept."), true)) }
                div { (raw_text("What was read from it", pair.parsed.as_deref().unwrap_or("Nothing was read from it."), true)) }
            }
            @if let Some(prompt) = &pair.prompt { (raw_text("System Prompt", prompt, false)) }
        }
    }
}

fn bugs(view: &AuditView) -> Markup {
    let row = |bug: &BugView| {
        let place =
            format!("/audit?session={}&turn={}#pair-{}", bug.session.id, bug.turn, bug.turn);
        vec![
            html! { (moment(bug.at)) },
            badge(Tone::Bad, &bug.kind),
            html! { (bug.by) },
            html! { a href=(place) { (super::titled(&bug.session.title)) ", turn " (bug.turn) } },
            html! { (short(&bug.description, 200)) },
        ]
    };
    let rows: Vec<Vec<Markup>> = view.bugs.iter().map(row).collect();
    html! {
        @if rows.is_empty() { p.dim { "No fault was reported. An answer that had to be repaired or that was cut is reported by itself." } }
        @else { (table("Faults", &["When", "Type", "By", "Where", "What happened"], &rows)) }
        @if let Some(session) = &view.session { (bug_form(view, session)) }
    }
}

fn bug_form(view: &AuditView, session: &SessionChoice) -> Markup {
    let turn = view.turn.or_else(|| view.pairs.first().map(|pair| pair.turn)).unwrap_or_default();
    html! {
        div.actions {
            button type="button" data-show="bug-form" aria-expanded="false" aria-controls="bug-form" { "Report a bug" }
        }
        div #bug-form.form data-fields="" hidden {
            label for="bug-text" { "What went wrong in turn " (turn) " of “" (super::titled(&session.title)) "”?" }
            textarea #bug-text name="text" rows="2" placeholder="What happened, and what should have happened?" {}
            div.actions { (post_button("Report", ACTIONS, &json!({ "session": session.id, "type": "reportBug", "turn": turn }), "")) }
        }
    }
}

fn decisions(decisions: &[DecisionView]) -> Markup {
    if decisions.is_empty() {
        return html! { p.dim { "No decision yet. A heal writes down which fix it took, which others there were, and why." } };
    }
    html! {
        @for one in decisions {
            details.decision {
                summary {
                    (super::outcome_badge(&one.what)) " " (short(&one.choice, 100)) " "
                    span.dim { (moment(one.at)) }
                    @if one.pinned.is_some() { " " (badge(Tone::Info, "pinned")) }
                    @if one.superseded_by.is_some() { " " (badge(Tone::Plain, "superseded")) }
                }
                dl.facts {
                    (fact("Choice", &one.choice))
                    @if let Some(reasoning) = &one.reasoning { (fact("Why", reasoning)) }
                    @if !one.alternatives.is_empty() { (fact("Other ways", &one.alternatives.join("; "))) }
                    @if !one.module.is_empty() { (fact("About", &one.module)) }
                    (fact("Decided by", &one.by))
                    @if let Some(sure) = one.confidence { (fact("How sure", &format!("{:.0} %", sure * 100.0))) }
                    (fact("Job", &one.job))
                    @if let Some(reason) = &one.pinned { (fact("Pinned because", reason)) }
                    @if let Some(by) = &one.superseded_by { (fact("Superseded by", by)) }
                    (fact("Id", &one.id))
                }
            }
        }
        p.dim { "The newest " (counted(decisions.len(), "decision")) "; all of them: " (terminal("salve decisions list")) }
    }
}

fn fact(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view() -> AuditView {
        let session = SessionChoice { id: "abc-123".into(), title: "t".into() };
        AuditView { session: Some(session), ..AuditView::default() }
    }

    #[test]
    fn c257_c259_raw_is_beside_parsed_with_its_reason() {
        let pair = PairView {
            turn: 2,
            model: "grok-4".into(),
            finish: Some("length".into()),
            tokens: (6785, 296),
            raw: Some("<script>alert(1)</script>".into()),
            raw_hash: Some("0123456789abcdef".into()),
            ..PairView::default()
        };
        let view = AuditView { pairs: vec![pair], turn: Some(2), entries: (2, 0), ..view() };
        let drawn = audit_screen(&view).into_string();
        for words in [
            "Pair #1 👈 This pair / grok-4 / length",
            "6,785 in / 296 out",
            "⚠️ truncated",
            "Full AI Generation",
            "What was read from it",
            "Entries: 2 / Created: 1970-01-01",
            "User Message",
            "&lt;script&gt;",
        ] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        assert!(
            !drawn.contains("<script>") && !drawn.contains("No audit document found."),
            "{drawn}"
        );
    }

    #[test]
    fn c258_without_an_audit_it_says_how_to_have_one() {
        let drawn = audit_screen(&view()).into_string();
        for words in [
            "No audit document found.",
            "To enable audit generation:",
            "Future generations will be saved to debug:abc-123",
        ] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        assert_eq!(
            drawn
                .split("<ol class=\"steps-list\">")
                .nth(1)
                .unwrap()
                .split("</ol>")
                .next()
                .unwrap()
                .matches("<li>")
                .count(),
            3
        );
    }

    #[test]
    fn c262_c263_faults_are_listed_with_type_by_time_and_pair() {
        let bug = BugView {
            session: SessionChoice { id: "s".into(), title: "t".into() },
            kind: "JSON".into(),
            by: "script".into(),
            description: "cleanup".into(),
            turn: 3,
            at: 0,
        };
        let drawn = audit_screen(&AuditView { bugs: vec![bug], ..view() }).into_string();
        for words in ["JSON", "script", "t, turn 3", "cleanup", "1970-01-01T00:00:00Z", "reportBug"]
        {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
    }

    #[test]
    fn decisions_have_their_evidence() {
        let one = DecisionView {
            what: "repair".into(),
            choice: "add ;".into(),
            reasoning: Some("the check passes".into()),
            alternatives: vec!["remove it".into()],
            confidence: Some(0.9),
            ..DecisionView::default()
        };
        let drawn =
            audit_screen(&AuditView { decisions: vec![one], ..AuditView::default() }).into_string();
        for words in ["the check passes", "remove it", "90 %", "Nothing to look into yet"] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
    }
}
