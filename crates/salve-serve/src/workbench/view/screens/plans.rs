//! Plans: a task split into parts, as a list and as a graph, with what each order would take.
//!
//! In: plans and the states of their parts. Out: the screen, with buttons that make, change and start a plan. Never a
//! figure that was neither measured nor computed.

use super::{counted, outcome_badge, post_button, terminal};
use crate::workbench::view::chart::{dollars, thousands};
use crate::workbench::view::parts::{card, empty, moment, screen_head, short, table};
use maud::{Markup, html};
use salve_engine::plan::Granularity;
use serde_json::json;

/// The size of a part in the graph, and the space around it.
const BOX: (usize, usize) = (150, 40);
const GAP: (usize, usize) = (50, 16);
/// How many letters of an instruction are in a part of the graph.
const LETTERS: usize = 18;

/// A plan in a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlanLine {
    /// Its id.
    pub(crate) id: String,
    /// What was asked for.
    pub(crate) request: String,
    /// Its status.
    pub(crate) status: String,
    /// How many parts it has.
    pub(crate) parts: usize,
    /// Tokens of all calls, and their price.
    pub(crate) took: (u64, u64),
    /// When it was made.
    pub(crate) at: i64,
}

/// A part of a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PartView {
    /// Its id.
    pub(crate) id: String,
    /// What is to be done.
    pub(crate) instruction: String,
    /// The places of the parts it depends on.
    pub(crate) before: Vec<usize>,
    /// Its state.
    pub(crate) status: String,
    /// What it did, or why not.
    pub(crate) summary: String,
    /// Tokens of its calls.
    pub(crate) tokens: u64,
    /// How much of it is done, in hundredths: all only where it has a result.
    pub(crate) percent: u64,
}

/// One way to split a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BreakdownView {
    /// Which.
    pub(crate) granularity: Granularity,
    /// How many parts.
    pub(crate) parts: usize,
    /// The tokens of each.
    pub(crate) tokens: u64,
    /// How many plans that was measured in; nothing where it is what is meant by the word.
    pub(crate) measured: Option<usize>,
}

/// One order with what it would take.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OrderView {
    /// A, B or C.
    pub(crate) letter: char,
    /// Its name.
    pub(crate) name: String,
    /// Marks of speed.
    pub(crate) speed: String,
    /// The price in millionths of a dollar.
    pub(crate) micro_dollars: u64,
    /// Low, Medium or High.
    pub(crate) risk: String,
    /// What it means for this plan.
    pub(crate) text: String,
    /// What the figures rest on.
    pub(crate) basis: String,
}

/// A plan in full.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PlanDetail {
    /// The plan.
    pub(crate) line: PlanLine,
    /// Its parts.
    pub(crate) parts: Vec<PartView>,
    /// The three orders.
    pub(crate) orders: Vec<OrderView>,
    /// The parts as they can be edited.
    pub(crate) document: String,
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlansView {
    /// The plans of the workspace, newest first.
    pub(crate) plans: Vec<PlanLine>,
    /// The one that is looked at.
    pub(crate) chosen: Option<PlanDetail>,
    /// The ways to split a request.
    pub(crate) breakdowns: Vec<BreakdownView>,
    /// The share of earlier answers that were cut, where enough are known.
    pub(crate) cut_rate: Option<f64>,
}

/// Draws the screen.
pub(crate) fn plans_screen(view: &PlansView) -> Markup {
    html! {
        (screen_head("Plans", "A task that is too big for one answer, split into parts that are merged and checked as one change.", &html! {}))
        @if let Some(plan) = &view.chosen { (detail(plan)) }
        @if view.plans.is_empty() {
            (empty("🧩", "No plan yet", "A big task is split into parts, each asked for by itself; what reaches your files is one change.",
                &["Make one below, or in the terminal: salve plan make -p TEXT", "Look at its parts here, and edit it", "Start it with A, B or C"]))
        } @else {
            section.card #plans { h2 { "Plans" } (list(&view.plans)) }
        }
        (chooser(view))
    }
}

/// Draws the ways to split a request.
fn chooser(view: &PlansView) -> Markup {
    let make =
        |granularity: Granularity| json!({ "type": "makePlan", "granularity": granularity.name() });
    let cuts = match view.cut_rate {
        Some(rate) => format!("{:.0} % of earlier answers were cut.", rate * 100.0),
        None => "Too few answers were judged yet to say how often they are cut.".to_owned(),
    };
    let body = html! {
        div data-fields {
            label { "What should be done?" textarea name="request" rows="3" {} }
            p { "Your request can be broken down in different ways:" }
            ul.orders {
                @for (letter, way) in ('A'..).zip(&view.breakdowns) {
                    @let (name, lines) = way_words(way.granularity);
                    li {
                        strong { (letter) ") " (name) }
                        p {
                            (counted(way.parts, "sub-task")) ", ~" (thousands(way.tokens)) " tokens each"
                            span.dim {
                                @match way.measured {
                                    Some(plans) => { " (measured in " (counted(plans, "plan")) ")" }
                                    None => " (what is asked for; too few plans ran to measure it)",
                                }
                            }
                        }
                        ul.details { @for line in lines { li { (line) } } }
                    }
                }
            }
            p.dim { (cuts) }
            div.actions {
                @for (letter, way) in ('A'..).zip(&view.breakdowns) {
                    (post_button(&format!("Use {letter}"), "/api/v1/actions", &make(way.granularity), "small"))
                }
                (post_button("Let AI decide", "/api/v1/actions", &make(Granularity::Auto), "small primary"))
            }
        }
    };
    card("📊 Task Breakdown Options", &body)
}

const fn way_words(granularity: Granularity) -> (&'static str, &'static [&'static str]) {
    match granularity {
        Granularity::Fine => (
            "Fine-grained (Recommended)",
            &["✓ Lowest truncation risk", "✓ Best parallelism", "✗ More API overhead"],
        ),
        Granularity::Coarse => ("Coarse", &["✓ Fewer API calls", "✗ Higher truncation risk"]),
        Granularity::Medium | Granularity::Auto => {
            ("Medium", &["✓ Good balance", "~ Moderate risk"])
        }
    }
}

/// Draws how far each part is: those that run or ran as bars, then those that wait.
fn progress(plan: &PlanDetail) -> Markup {
    let waits = |part: &PartView| matches!(part.status.as_str(), "waiting" | "pending" | "blocked");
    let running = plan.parts.iter().filter(|part| part.status == "running").count();
    html! {
        section.plan-progress aria-label="Progress" {
            @if running > 0 {
                p role="status" { "🔄 Running " (counted(running, "sub-task")) @if running > 1 { " in parallel" } "..." }
            }
            ol.bars {
                @for (number, part) in (1..).zip(&plan.parts).filter(|(_, part)| !waits(part)) {
                    @let name = format!("{number}. {}", short(&part.instruction, 60));
                    li {
                        span.words { (name) }
                        progress max="100" value=(part.percent) aria-label=(name) {}
                        span { (part.percent) "%" @if part.percent == 100 { " ✓" } }
                        @if !matches!(part.status.as_str(), "running" | "completed") { (outcome_badge(&part.status)) }
                    }
                }
            }
            @for (number, part) in (1..).zip(&plan.parts).filter(|(_, part)| waits(part)) {
                p.dim {
                    "⏳ Waiting: " (number) ". " (short(&part.instruction, 60))
                    @if !part.before.is_empty() {
                        " (depends on "
                        (part.before.iter().map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(", "))
                        ")"
                    }
                }
            }
        }
    }
}

fn list(plans: &[PlanLine]) -> Markup {
    let rows: Vec<Vec<Markup>> = plans
        .iter()
        .map(|plan| {
            vec![
                html! { a href={ "/plans?plan=" (plan.id) } { (short(&plan.request, 80)) } },
                outcome_badge(&plan.status),
                html! { (counted(plan.parts, "part")) },
                html! { (thousands(plan.took.0)) },
                html! { (dollars(plan.took.1)) },
                moment(plan.at),
            ]
        })
        .collect();
    table("Plans", &["Request", "Status", "Parts", "Tokens", "Cost", "Made"], &rows)
}

fn detail(plan: &PlanDetail) -> Markup {
    let id = &plan.line.id;
    let title = format!("📋 Execution Plan: \"{}\"", short(&plan.line.request, 80));
    let rows: Vec<Vec<Markup>> = plan.parts.iter().map(|part| row(part, plan)).collect();
    let body = html! {
        p { (outcome_badge(&plan.line.status)) }
        @if plan.line.status == "running" { span.unseen data-reload="3" {} }
        @if plan.line.status != "draft" { (progress(plan)) }
        (graph(plan))
        (table("Parts", &["Part", "To do", "Depends on", "State", "Tokens"], &rows))
        @if plan.line.status == "draft" {
            h3 { "Found " (counted(plan.parts.len(), "sub-task")) ". Choose execution strategy:" }
            ul.orders {
                @for order in &plan.orders {
                    li {
                        strong { (order.letter) ") " (order.name) }
                        p { "Speed: " (order.speed) "  Cost: " (dollars(order.micro_dollars)) "  Risk: " (order.risk) }
                        p.dim { (order.text) " (" (order.basis) ")" }
                    }
                }
            }
            div.actions {
                button.small type="button" data-show="edit-plan" aria-expanded="false" aria-controls="edit-plan" { "Edit Plan" }
                @for order in &plan.orders {
                    @let strategy = order.letter.to_ascii_lowercase().to_string();
                    (post_button(&format!("Start {}", order.letter), "/api/v1/actions", &json!({ "type": "startPlan", "plan": id, "strategy": strategy }), "small primary"))
                }
            }
            div #edit-plan hidden data-fields {
                label {
                    "The parts, in their order: move, remove or change them"
                    textarea name="document" rows="16" spellcheck="false" { (plan.document) }
                }
                (post_button("Save the plan", "/api/v1/actions", &json!({ "type": "editPlan", "plan": id }), "small primary"))
            }
        } @else {
            @if matches!(plan.line.status.as_str(), "needs_attention" | "paused" | "running") {
                div.actions {
                    (post_button("Go on", "/api/v1/actions", &json!({ "type": "startPlan", "plan": id, "strategy": "a" }), "small"))
                }
            }
            p { (terminal(&format!("salve plan run {id} --yes --retry TASK"))) " does a part again, " (terminal(&format!("salve plan undo {id} TASK"))) " takes one out of the files." }
        }
    };
    card(&title, &body)
}

fn row(part: &PartView, plan: &PlanDetail) -> Vec<Markup> {
    let before: Vec<&str> =
        part.before.iter().filter_map(|at| Some(plan.parts.get(*at)?.id.as_str())).collect();
    vec![
        html! { code { (part.id) } },
        html! { (short(&part.instruction, 120)) @if !part.summary.is_empty() { p.dim { (short(&part.summary, 200)) } } },
        html! { (before.join(", ")) },
        outcome_badge(&part.status),
        html! { (thousands(part.tokens)) },
    ]
}

// How many parts are before each on the longest way to it.
fn depths(parts: &[PartView]) -> Vec<usize> {
    let mut depths = vec![0; parts.len()];
    // A graph without a cycle is settled after as many rounds as it has parts.
    for _ in 0..parts.len() {
        for (at, part) in parts.iter().enumerate() {
            let before = part.before.iter().filter_map(|one| depths.get(*one)).max();
            depths[at] = before.map_or(0, |depth| (depth + 1).min(parts.len()));
        }
    }
    depths
}

/// Draws the graph: what waits is to the right of what it waits for.
fn graph(plan: &PlanDetail) -> Markup {
    let depths = depths(&plan.parts);
    let mut used = vec![0_usize; plan.parts.len() + 1];
    let places: Vec<(usize, usize)> = depths
        .iter()
        .map(|depth| {
            let row = used[*depth];
            used[*depth] += 1;
            (depth * (BOX.0 + GAP.0) + 4, row * (BOX.1 + GAP.1) + 4)
        })
        .collect();
    let width = places.iter().map(|(x, _)| x + BOX.0 + 4).max().unwrap_or(0);
    let height = places.iter().map(|(_, y)| y + BOX.1 + 4).max().unwrap_or(0);
    let spoken = format!("{} and what each depends on", counted(plan.parts.len(), "part"));
    html! {
        div.plan-graph tabindex="0" role="group" aria-label="The parts as a graph" {
            svg viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) role="img" aria-label=(spoken) {
                @for (at, part) in plan.parts.iter().enumerate() {
                    @for before in part.before.iter().filter_map(|one| places.get(*one)) {
                        @let (x, y) = places[at];
                        line x1=(before.0 + BOX.0) y1=(before.1 + BOX.1 / 2) x2=(x) y2=(y + BOX.1 / 2) stroke="currentColor" {}
                    }
                }
                @for (part, (x, y)) in plan.parts.iter().zip(&places) {
                    g {
                        title { (part.instruction) }
                        rect x=(x) y=(y) width=(BOX.0) height=(BOX.1) rx="6" fill="none" stroke="currentColor" {}
                        text x=(x + 8) y=(y + 17) fill="currentColor" font-size="12" { (part.id) " " (part.status) }
                        text x=(x + 8) y=(y + 32) fill="currentColor" font-size="11" { (short(&part.instruction, LETTERS)) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c216_a_plan_is_a_list_a_graph_and_three_orders() {
        let part = |id: &str, before: &[usize]| PartView {
            id: id.to_owned(),
            instruction: format!("do <{id}>"),
            before: before.to_vec(),
            status: "waiting".to_owned(),
            ..PartView::default()
        };
        let line = PlanLine {
            id: "p".into(),
            request: "ask".into(),
            status: "draft".into(),
            parts: 3,
            ..PlanLine::default()
        };
        let orders = vec![OrderView {
            letter: 'A',
            name: "Parallel (Recommended)".into(),
            ..OrderView::default()
        }];
        let parts = vec![part("1", &[]), part("2", &[]), part("3", &[0, 1])];
        assert_eq!(depths(&parts), [0, 0, 1]);
        let view = PlansView {
            plans: vec![line.clone()],
            chosen: Some(PlanDetail { line, parts, orders, document: "[]".into() }),
            ..PlansView::default()
        };
        let drawn = plans_screen(&view).into_string();
        assert_eq!(
            (drawn.matches("<rect").count(), drawn.matches("<line").count()),
            (3, 2),
            "{drawn}"
        );
        assert!(
            drawn.contains("A) Parallel (Recommended)") && drawn.contains("do &lt;3&gt;"),
            "{drawn}"
        );
        assert!(drawn.contains("/plans?plan=p"));
        assert!(
            drawn.contains("Choose execution strategy:") && drawn.contains(">Edit Plan<"),
            "{drawn}"
        );
        assert!(
            drawn.contains(">Start A<") && drawn.contains("&quot;strategy&quot;:&quot;a&quot;"),
            "{drawn}"
        );
    }

    #[test]
    fn c218_a_part_is_ticked_only_when_all_of_it_is_there() {
        let part = |id: &str, status: &str, percent: u64, before: &[usize]| PartView {
            id: id.to_owned(),
            instruction: format!("task {id}"),
            status: status.to_owned(),
            percent,
            before: before.to_vec(),
            ..PartView::default()
        };
        let parts = vec![
            part("a", "running", 90, &[]),
            part("b", "completed", 100, &[]),
            part("c", "running", 35, &[]),
            part("d", "waiting", 0, &[0, 1, 2]),
        ];
        let drawn = progress(&PlanDetail { parts, ..PlanDetail::default() }).into_string();
        assert!(drawn.contains("🔄 Running 2 sub-tasks in parallel..."), "{drawn}");
        assert!(
            drawn.contains("90%<") && drawn.contains("100% ✓") && drawn.contains("35%<"),
            "{drawn}"
        );
        assert!(drawn.contains("⏳ Waiting: 4. task d (depends on 1, 2, 3)"), "{drawn}");
        assert_eq!(drawn.matches("<progress").count(), 3);
    }

    #[test]
    fn c219_the_ways_to_split_say_what_they_rest_on_and_the_default_decides_itself() {
        let way = |granularity, parts, tokens, measured| BreakdownView {
            granularity,
            parts,
            tokens,
            measured,
        };
        let view = PlansView {
            breakdowns: vec![
                way(Granularity::Fine, 12, 200, None),
                way(Granularity::Medium, 6, 950, Some(4)),
                way(Granularity::Coarse, 2, 2_000, None),
            ],
            cut_rate: Some(0.25),
            ..PlansView::default()
        };
        let drawn = plans_screen(&view).into_string();
        for words in [
            "📊 Task Breakdown Options",
            "A) Fine-grained (Recommended)",
            "12 sub-tasks, ~200 tokens each",
            "6 sub-tasks, ~950 tokens each",
            "measured in 4 plans",
            "25 % of earlier answers were cut",
            ">Use A<",
            ">Use B<",
            ">Use C<",
            ">Let AI decide<",
        ] {
            assert!(drawn.contains(words), "{words}: {drawn}");
        }
        let default =
            drawn.split(">Let AI decide<").next().unwrap().rsplit("<button").next().unwrap();
        assert!(default.contains("primary") && default.contains("auto"), "{default}");
        assert_eq!(drawn.matches("primary").count(), 1, "no other is proposed");
    }
}
