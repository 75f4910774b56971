//! Knowledge: rules that were learned and errors that are known, with what became of using them.
//!
//! In: rules and patterns. Out: the screen, and a rule in full. Never the content of a rule as anything but text.

use super::{ACTIONS, FileDiff, counted, file_diffs, hash, post_button, raw_text, terminal};
use crate::workbench::view::chart::thousands;
use crate::workbench::view::parts::{
    Tone, badge, card, empty, moment, screen_head, short, stat, table,
};
use maud::{Markup, html};
use serde_json::json;

/// A rule in a line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RuleView {
    /// Its id.
    pub(crate) id: String,
    /// What it does, in a sentence.
    pub(crate) description: String,
    /// The language.
    pub(crate) language: String,
    /// The tool and the code of the error.
    pub(crate) error: String,
    /// How general it is.
    pub(crate) level: u8,
    /// Whether it is used.
    pub(crate) state: String,
    /// Who pinned it, and why.
    pub(crate) pinned: Option<(String, String)>,
    /// How often it healed and did not.
    pub(crate) counts: (u64, u64),
    /// How sure it is, from 0 to 1.
    pub(crate) confidence: f64,
    /// How many examples it was replayed on.
    pub(crate) replays: u64,
    /// The heal it was learned from.
    pub(crate) origin: String,
    /// Where.
    pub(crate) workspace: String,
    /// Whose it is, where it is another's.
    pub(crate) author: Option<String>,
    /// When it was learned.
    pub(crate) created: i64,
    /// When it was last applied.
    pub(crate) last_used: Option<i64>,
}

/// A rule in full.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RuleDetail {
    /// The rule.
    pub(crate) rule: RuleView,
    /// Its text, as a person could write it.
    pub(crate) text: String,
    /// Files before and after.
    pub(crate) examples: Vec<FileDiff>,
}

/// What was tried on an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FixView {
    /// What it does.
    pub(crate) description: String,
    /// Where it came from.
    pub(crate) source: String,
    /// The heal that tried it first.
    pub(crate) origin: String,
    /// How often it healed and did not.
    pub(crate) counts: (u64, u64),
    /// Whether it is used.
    pub(crate) used: bool,
}

/// An error that is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PatternView {
    /// Its signature.
    pub(crate) signature: String,
    /// Its class.
    pub(crate) error_type: String,
    /// What the tools said.
    pub(crate) error: String,
    /// How many heals met it.
    pub(crate) hits: u64,
    /// What was tried.
    pub(crate) fixes: Vec<FixView>,
    /// Whether all of that is out of use.
    pub(crate) disabled: bool,
    /// When it was last seen.
    pub(crate) last_seen: i64,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnowledgeView {
    /// How many rules are in use, quarantined, disabled and pinned.
    pub(crate) rule_counts: [u64; 4],
    /// How many errors are known, with how many fixes that work and that failed.
    pub(crate) pattern_counts: [u64; 3],
    /// Heals, those that healed, those without a model.
    pub(crate) heals: (u64, u64, u64),
    /// Tokens that were saved.
    pub(crate) saved_tokens: u64,
    /// A rule in full, where one is asked for.
    pub(crate) chosen: Option<RuleDetail>,
    /// The rules.
    pub(crate) rules: Vec<RuleView>,
    /// The patterns.
    pub(crate) patterns: Vec<PatternView>,
}

/// Draws the screen.
pub(crate) fn knowledge_screen(view: &KnowledgeView) -> Markup {
    let [active, quarantined, disabled, pinned] = view.rule_counts;
    let [known, works, failed] = view.pattern_counts;
    let (heals, healed, free) = view.heals;
    html! {
        (screen_head("Knowledge", "What was learned from fixes that held: it is tried before a model is asked, and checked like any fix.", &html! {}))
        div.stats {
            (stat("rules in use", &thousands(active), Tone::Good, &format!("{pinned} pinned, {quarantined} quarantined, {disabled} disabled")))
            (stat("known errors", &thousands(known), Tone::Plain, &format!("{works} fixes work, {failed} failed")))
            (stat("heals without a model", &thousands(free), Tone::Good, &format!("of {healed} that healed, {heals} in all")))
            (stat("tokens saved", &thousands(view.saved_tokens), Tone::Plain, ""))
        }
        @if let Some(detail) = &view.chosen { (rule_detail(detail)) }
        @if view.rules.is_empty() && view.patterns.is_empty() {
            (empty("📖", "Nothing was learned yet", "When a fix heals a build, Salve learns a rule from it: the same mistake is then healed at once, without a model.",
                &["Heal a red build: salve heal", "Or learn from fixes you have: salve knowledge learn FILE", "Come back: each rule shows what it was learned from"]))
        } @else {
            (card("Rules", &rules(&view.rules)))
            (card("Known errors", &patterns(&view.patterns)))
        }
    }
}

fn rate(counts: (u64, u64)) -> String {
    match counts {
        (0, 0) => "not used yet".to_owned(),
        (wins, losses) => format!(
            "{wins} won, {losses} lost ({:.0} %)",
            100.0 * wins as f64 / (wins + losses) as f64
        ),
    }
}

fn rules(rules: &[RuleView]) -> Markup {
    if rules.is_empty() {
        return html! { p.dim { "No rule yet." } };
    }
    let row = |rule: &RuleView| {
        vec![
            html! { a href={ "/knowledge?rule=" (rule.id) "#rule" } { (short(&rule.description, 90)) } br; span.dim { (rule.language) " · " (rule.error) } },
            html! { (super::outcome_badge(&rule.state)) @if rule.pinned.is_some() { " " (badge(Tone::Info, "pinned")) } },
            html! { (rate(rule.counts)) },
            html! { (format!("{:.2}", rule.confidence)) },
            html! { (hash(&rule.origin)) @if let Some(author) = &rule.author { " by " (author) } br; span.dim { (moment(rule.created)) } },
            rule_buttons(rule),
        ]
    };
    let rows: Vec<Vec<Markup>> = rules.iter().map(row).collect();
    html! {
        (table("Rules", &["Rule", "State", "Win rate", "Sure", "Learned from", "Decide"], &rows))
        p.dim { "The best " (counted(rules.len(), "rule")) "; all of them: " (terminal("salve knowledge list")) }
    }
}

fn rule_buttons(rule: &RuleView) -> Markup {
    let body = |kind: &str| json!({ "type": kind, "rule": rule.id });
    html! {
        div.actions {
            @if rule.pinned.is_some() { (post_button("Unpin", ACTIONS, &body("unpinRule"), "small")) }
            @else {
                (post_button("Pin", ACTIONS, &json!({ "type": "pinRule", "rule": rule.id, "reason": "pinned in the workbench" }), "small"))
            }
            @if rule.state == "active" { (post_button("Disable", ACTIONS, &body("disableRule"), "small")) }
            @else { (post_button("Enable", ACTIONS, &body("enableRule"), "small")) }
        }
    }
}

fn rule_detail(detail: &RuleDetail) -> Markup {
    let rule = &detail.rule;
    html! {
        section #rule.card {
            h2 { (rule.description) }
            p.dim {
                code { (rule.id) } " · " (rule.language) " · " (rule.error) " · level " (rule.level) " · " (rate(rule.counts))
                " · replayed on " (rule.replays) " examples"
            }
            p.dim {
                "Learned " (moment(rule.created)) " from heal " code { (rule.origin) } " in " code { (rule.workspace) }
                @if let Some(used) = rule.last_used { " · last used " (moment(used)) }
            }
            @if let Some((by, reason)) = &rule.pinned { p { (badge(Tone::Info, "pinned")) " by " (by) ": " (reason) } }
            @else {
                div.form data-fields="" {
                    label for="pin-reason" { "Why this rule may be used where only pinned ones may" }
                    input #pin-reason type="text" name="reason" placeholder="reviewed it";
                    div.actions { (post_button("Pin with this reason", ACTIONS, &json!({ "type": "pinRule", "rule": rule.id }), "")) }
                }
            }
            (rule_buttons(rule))
            (raw_text("The rule as text", &detail.text, false))
            h3 { "Examples" }
            @if detail.examples.is_empty() { p.dim { "No example is kept of this class of errors." } }
            (file_diffs(&detail.examples))
            p { a.button href="/knowledge" { "Close" } }
        }
    }
}

fn patterns(patterns: &[PatternView]) -> Markup {
    if patterns.is_empty() {
        return html! { p.dim { "No error was met yet." } };
    }
    html! {
        @for pattern in patterns {
            @let works = pattern.fixes.iter().any(|fix| fix.used && fix.counts.0 > 0);
            details.decision {
                summary {
                    (if works { badge(Tone::Good, "a fix works") } else { badge(Tone::Wait, "no fix yet") })
                    " " (short(&pattern.error, 110)) " " span.dim { "met " (pattern.hits) "×, " (moment(pattern.last_seen)) }
                    @if pattern.disabled { " " (badge(Tone::Plain, "disabled")) }
                }
                p.dim { (pattern.error_type) " " (hash(&pattern.signature)) }
                pre.code tabindex="0" role="group" aria-label="What the tools said" { code { (pattern.error) } }
                ul.fixes {
                    @for fix in &pattern.fixes {
                        li { (short(&fix.description, 200)) " " span.dim { (fix.source) ", from " (hash(&fix.origin)) ", " (rate(fix.counts)) }
                            @if !fix.used { " " (badge(Tone::Plain, "not used")) } }
                    }
                }
                div.actions {
                    @let body = json!({ "type": "setPattern", "signature": pattern.signature, "disabled": !pattern.disabled });
                    (post_button(if pattern.disabled { "Enable" } else { "Disable" }, ACTIONS, &body, "small"))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::view::diff::hunks_between;

    fn rule() -> RuleView {
        RuleView {
            id: "r1".into(),
            description: "add <b>;".into(),
            state: "active".into(),
            counts: (3, 1),
            ..RuleView::default()
        }
    }

    #[test]
    fn rules_say_how_they_did_and_can_be_decided_about() {
        let pinned = RuleView {
            id: "r2".into(),
            state: "disabled".into(),
            pinned: Some(("ada".into(), "fine".into())),
            ..rule()
        };
        let drawn = knowledge_screen(&KnowledgeView {
            rules: vec![rule(), pinned],
            ..KnowledgeView::default()
        })
        .into_string();
        for words in [
            "3 won, 1 lost (75 %)",
            "pinRule",
            "disableRule",
            "unpinRule",
            "enableRule",
            "/knowledge?rule=r1#rule",
        ] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        assert!(!drawn.contains("<b>;"), "{drawn}");
    }

    #[test]
    fn a_rule_in_full_has_its_examples() {
        let examples =
            vec![FileDiff { path: "a.rs".into(), hunks: hunks_between("a\n", "a;\n"), note: None }];
        let detail = RuleDetail { rule: rule(), text: "format = 1".into(), examples };
        let drawn =
            knowledge_screen(&KnowledgeView { chosen: Some(detail), ..KnowledgeView::default() })
                .into_string();
        assert!(
            drawn.contains("aria-label=\"a.rs\"") && drawn.contains("Pin with this reason"),
            "{drawn}"
        );
        assert!(drawn.contains("Nothing was learned yet"), "{drawn}");
    }
}
