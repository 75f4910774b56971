//! Jobs and calls: what runs, what is in doubt, and what each call to a model took.
//!
//! In: jobs, calls in doubt, rows of the ledger. Out: the screen. Never hides that a call may have been paid.

use super::{ACTIONS, counted, hash, older, post_button, raw_text, terminal};
use crate::workbench::view::chart::{dollars, thousands};
use crate::workbench::view::parts::{
    Tone, badge, empty, moment, notice, screen_head, short, table,
};
use maud::{Markup, html};
use serde_json::json;

/// A job in a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JobView {
    /// Its name.
    pub(crate) id: String,
    /// Its flow.
    pub(crate) flow: String,
    /// Its status.
    pub(crate) status: String,
    /// What its flow last said.
    pub(crate) stage: String,
    /// Why it ended as it did, or waits.
    pub(crate) why: String,
    /// Whether it has ended.
    pub(crate) ended: bool,
    /// When it was started.
    pub(crate) at: i64,
}

/// A call whose end is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DoubtView {
    /// By what it is known.
    pub(crate) key: String,
    /// Its job.
    pub(crate) job: String,
    /// Who made it.
    pub(crate) worker: String,
    /// How many bytes had arrived.
    pub(crate) bytes: u64,
    /// The most it can have cost.
    pub(crate) micro_dollars: u64,
    /// Since when.
    pub(crate) since: i64,
}

/// A call in a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CallView {
    /// Its number.
    pub(crate) id: i64,
    /// Why it was made.
    pub(crate) purpose: String,
    /// Who was asked.
    pub(crate) model: String,
    /// Its state, or its outcome once it has one.
    pub(crate) outcome: String,
    /// Why the provider said it ended.
    pub(crate) finish: String,
    /// How it was judged to be cut.
    pub(crate) kind: String,
    /// Tokens in and out.
    pub(crate) tokens: Option<(u64, u64)>,
    /// What it cost.
    pub(crate) micro_dollars: Option<u64>,
    /// Whether that is an estimate.
    pub(crate) estimated: bool,
    /// Why it failed.
    pub(crate) error: String,
    /// When.
    pub(crate) at: i64,
}

/// A call with its texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CallDetailView {
    /// The call.
    pub(crate) call: CallView,
    /// The hash of its prompt.
    pub(crate) prompt_hash: Option<String>,
    /// The call it continues.
    pub(crate) parent: Option<i64>,
    /// What arrived.
    pub(crate) raw: String,
    /// The best that was made of it.
    pub(crate) partial: Option<String>,
    /// The whole text.
    pub(crate) result: Option<String>,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobsView {
    /// Calls in doubt.
    pub(crate) doubts: Vec<DoubtView>,
    /// Jobs, newest first.
    pub(crate) jobs: Vec<JobView>,
    /// Where the older ones are.
    pub(crate) older_jobs: Option<String>,
    /// A call in full, where one is asked for.
    pub(crate) call: Option<CallDetailView>,
    /// Calls, newest first.
    pub(crate) calls: Vec<CallView>,
    /// Where the older ones are.
    pub(crate) older_calls: Option<String>,
}

/// Draws the screen.
pub(crate) fn jobs_screen(view: &JobsView) -> Markup {
    let open = view.jobs.iter().filter(|job| !job.ended).count();
    html! {
        (screen_head("Jobs", "What runs and survives a restart, and every call to a model. A call is paid once.", &html! {}))
        @for doubt in &view.doubts { (doubt_notice(doubt)) }
        @if let Some(call) = &view.call { (call_detail(call)) }
        @if view.jobs.is_empty() && view.calls.is_empty() && view.doubts.is_empty() {
            (empty("🧵", "No job yet", "Turns of the chat, heals and long generations are jobs: they go on after a crash, and no call is paid twice.",
                &["Open Chat, and ask for something", "Or start one in the terminal: salve jobs start", "Come back to watch it"]))
        } @else {
            section.card #jobs { h2 { "Jobs" } p.dim { (counted(open, "job")) " of this page " @if open == 1 { "is" } @else { "are" } " not over" } (jobs(view)) }
            section.card #calls { h2 { "Calls" } (calls(view)) }
        }
    }
}

fn doubt_notice(doubt: &DoubtView) -> Markup {
    let body =
        |decision: &str| json!({ "type": "resolveCall", "key": doubt.key, "decision": decision });
    notice(
        Tone::Wait,
        "A paid call is in doubt",
        &html! {
            p {
                "The worker " code { (doubt.worker) } " began it " (moment(doubt.since)) " and was not seen again. It may have been paid: at most "
                (dollars(doubt.micro_dollars)) "; " (thousands(doubt.bytes)) " bytes had arrived."
            }
            p.dim { "Job " code { (doubt.job) } " · call " code { (doubt.key) } }
            div.actions {
                (post_button("Ask again", ACTIONS, &body("retry"), ""))
                (post_button("Give up", ACTIONS, &body("fail"), ""))
                span.dim { "You have the answer? " (terminal(&format!("salve jobs resolve {} use FILE", doubt.key))) }
            }
        },
    )
}

fn jobs(view: &JobsView) -> Markup {
    let row = |job: &JobView| {
        vec![
            html! { (moment(job.at)) },
            html! { code { (job.flow) } },
            super::outcome_badge(&job.status),
            html! { (job.stage) @if !job.why.is_empty() { br; span.dim { (short(&job.why, 160)) } } },
            html! { code title=(job.id) { (short(&job.id, 40)) } },
            html! { @if !job.ended { (post_button("Cancel", ACTIONS, &json!({ "type": "cancelJob", "job": job.id }), "small")) } },
        ]
    };
    let rows: Vec<Vec<Markup>> = view.jobs.iter().map(row).collect();
    html! { (table("Jobs", &["Started", "Flow", "Status", "Where it is", "Job", "Decide"], &rows)) (older(view.older_jobs.as_deref())) }
}

fn calls(view: &JobsView) -> Markup {
    if view.calls.is_empty() {
        return html! { p.dim { "No model was asked yet." } };
    }
    let row = |call: &CallView| {
        vec![
            html! { a href={ "/jobs?call=" (call.id) "#call" } { "#" (call.id) } },
            html! { (moment(call.at)) },
            html! { (call.model) br; span.dim { (call.purpose) } },
            html! { (super::outcome_badge(&call.outcome)) @if !call.kind.is_empty() { " " code { (call.kind) } } },
            html! { (call.finish) },
            html! { @if let Some((sent, got)) = call.tokens { (thousands(sent)) " in / " (thousands(got)) " out" } },
            html! { @if let Some(cost) = call.micro_dollars { (dollars(cost)) @if call.estimated { " (estimate)" } } },
        ]
    };
    let rows: Vec<Vec<Markup>> = view.calls.iter().map(row).collect();
    html! {
        (table("Calls", &["Call", "When", "Model", "Outcome", "Finish", "Tokens", "Cost"], &rows))
        (older(view.older_calls.as_deref()))
    }
}

fn call_detail(detail: &CallDetailView) -> Markup {
    let call = &detail.call;
    html! {
        section #call.card {
            h2 { "Call #" (call.id) }
            p { (super::outcome_badge(&call.outcome)) " " (call.model) " · " (call.purpose) " · finish " (if call.finish.is_empty() { "not given" } else { call.finish.as_str() }) }
            p.dim {
                @if let Some(known) = &detail.prompt_hash { "prompt " (hash(known)) }
                @if let Some(parent) = detail.parent { " · goes on from " a href={ "/jobs?call=" (parent) "#call" } { "#" (parent) } }
            }
            @if !call.error.is_empty() { (notice(Tone::Bad, "It failed", &html! { p { (call.error) } })) }
            div.beside {
                div { (raw_text("What arrived", if detail.raw.is_empty() { "Nothing arrived, or it is not kept." } else { &detail.raw }, true)) }
                div {
                    @if let Some(result) = &detail.result { (raw_text("The whole text", result, true)) }
                    @else if let Some(partial) = &detail.partial { (raw_text("What was saved of it", partial, true)) }
                    @else { p.dim { "No text was made of it." } }
                }
            }
            @if !call.kind.is_empty() { p { (badge(Tone::Wait, "cut")) " " code { (call.kind) } } }
            p { a.button href="/jobs#calls" { "Close" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_doubt_comes_first_and_is_decided_by_a_person() {
        let doubt = DoubtView {
            key: "j/1".into(),
            job: "j".into(),
            micro_dollars: 20_000,
            ..DoubtView::default()
        };
        let job = JobView {
            id: "j".into(),
            flow: "Heal@1".into(),
            status: "running".into(),
            why: "<img>".into(),
            ..JobView::default()
        };
        let drawn =
            jobs_screen(&JobsView { doubts: vec![doubt], jobs: vec![job], ..JobsView::default() })
                .into_string();
        for words in [
            "role=\"alert\"",
            "at most $0.02",
            "resolveCall",
            "Ask again",
            "Give up",
            "cancelJob",
            "Heal@1",
        ] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        assert!(!drawn.contains("<img>"), "{drawn}");
    }

    #[test]
    fn a_call_has_what_arrived_beside_what_was_made_of_it() {
        let call = CallView {
            id: 7,
            outcome: "healed".into(),
            kind: "OPEN_JSON".into(),
            tokens: Some((10, 2)),
            ..CallView::default()
        };
        let detail = CallDetailView {
            call: call.clone(),
            raw: "{\"a\": 1".into(),
            result: Some("{\"a\": 1}".into()),
            ..CallDetailView::default()
        };
        let drawn =
            jobs_screen(&JobsView { call: Some(detail), calls: vec![call], ..JobsView::default() })
                .into_string();
        for words in ["What arrived", "The whole text", "10 in / 2 out", "/jobs?call=7#call"] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        assert!(jobs_screen(&JobsView::default()).into_string().contains("No job yet"));
    }
}
