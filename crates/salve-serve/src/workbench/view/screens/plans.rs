//! Plans: a task split into parts, as a list and as a graph, with what each order would take.
//!
//! In: plans and the states of their parts. Out: the screen. Never starts one: the lines for the terminal do.

use super::{counted, outcome_badge, terminal};
use crate::workbench::view::chart::{dollars, thousands};
use crate::workbench::view::parts::{card, empty, moment, screen_head, short, table};
use maud::{Markup, html};

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
}

/// One order with what it would take.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OrderView {
    /// A, B or C, and its name.
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
}

/// What the screen shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlansView {
    /// The plans of the workspace, newest first.
    pub(crate) plans: Vec<PlanLine>,
    /// The one that is looked at.
    pub(crate) chosen: Option<PlanDetail>,
}

/// Draws the screen.
pub(crate) fn plans_screen(view: &PlansView) -> Markup {
    html! {
        (screen_head("Plans", "A task that is too big for one answer, split into parts that are merged and checked as one change.", &html! {}))
        @if let Some(plan) = &view.chosen { (detail(plan)) }
        @if view.plans.is_empty() {
            (empty("🧩", "No plan yet", "A big task is split into parts, each asked for by itself; what reaches your files is one change.",
                &["Make one in the terminal: salve plan make -p TEXT", "Look at its parts here, and edit it", "Start it: salve plan run last"]))
        } @else {
            section.card #plans { h2 { "Plans" } (list(&view.plans)) }
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
        p { "Found " (counted(plan.parts.len(), "sub-task")) ". " (outcome_badge(&plan.line.status)) }
        (graph(plan))
        (table("Parts", &["Part", "To do", "Depends on", "State", "Tokens"], &rows))
        @if plan.line.status == "draft" {
            h3 { "Choose execution strategy" }
            ul.orders {
                @for order in &plan.orders {
                    li {
                        strong { (order.name) }
                        p { "Speed: " (order.speed) "  Cost: " (dollars(order.micro_dollars)) "  Risk: " (order.risk) }
                        p.dim { (order.text) " (" (order.basis) ")" }
                    }
                }
            }
            p { (terminal(&format!("salve plan edit {id} --remove TASK"))) " changes it, " (terminal(&format!("salve plan run {id} --yes --strategy a"))) " starts it." }
        } @else {
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
        let orders =
            vec![OrderView { name: "A) Parallel (Recommended)".into(), ..OrderView::default() }];
        let parts = vec![part("1", &[]), part("2", &[]), part("3", &[0, 1])];
        assert_eq!(depths(&parts), [0, 0, 1]);
        let view = PlansView {
            plans: vec![line.clone()],
            chosen: Some(PlanDetail { line, parts, orders }),
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
    }
}
