//! A turn: what was asked, what was answered, what became of it.
//!
//! In: a turn. Out: its article, and each region of it alone. The blocks of an answer are numbered, so that a block
//! which was drawn while it arrived stays when the answer is whole. Never draws a region differently when it is
//! drawn alone.

use super::commands::LATER;
use super::data::{Banner, CommandView, DoneLine, FileState, FileView, FoldedTurn, TurnView};
use super::uploads::upload_list;
use super::{Region, action, command_list, file_list, image_gallery};
use crate::workbench::view::blocks::{BlockKind, TextBlock};
use crate::workbench::view::chart::{dollars, thousands};
use crate::workbench::view::code::highlighted;
use crate::workbench::view::live::{AnswerBlock, LiveAnswer, LiveStep, Shown, field_blocks};
use crate::workbench::view::markdown::markdown;
use crate::workbench::view::parts::{Tone, badge, moment, short};
use maud::{Markup, html};
use salve_engine::session::{StatusFacts, run_all_label, status_badge};
use salve_types::TurnStatus;
use serde_json::json;

/// From this block on an answer is long: what is out of view is not laid out.
const FAR: usize = 150;
/// A request of more letters is closed at first.
const LONG_REQUEST: usize = 1_500;

/// Draws a turn of which only a line is shown, as a link to all of it.
pub fn folded_turn(session: &str, turn: &FoldedTurn) -> Markup {
    let facts = StatusFacts { status: turn.status, ..StatusFacts::default() };
    html! {
        article.turn.folded id={ "t" (turn.number) } aria-label={ "Turn " (turn.number) } {
            a href={ "/chat/" (session) "?at=" (turn.number) "#t" (turn.number) } {
                span.number { (turn.number) }
                span.words { (short(&turn.request, 120)) }
                span.dim { (status_badge(&facts)) }
            }
        }
    }
}

/// Draws a turn.
pub fn turn_article(turn: &TurnView) -> Markup {
    let id = format!("t{}", turn.number);
    html! {
        article.turn id=(id) aria-labelledby={ (id) "-title" } tabindex="-1" {
            h2.unseen id={ (id) "-title" } { "Turn " (turn.number) }
            @for region in turn_regions(turn) { (region.html) }
        }
    }
}

/// Draws the regions of a turn, in their order. The blocks of its answer are one of them.
pub fn turn_regions(turn: &TurnView) -> Vec<Region> {
    let region = |name: &str, html: Markup| Region { id: format!("t{}-{name}", turn.number), html };
    vec![
        region("ask", ask(turn)),
        region("progress", progress(turn)),
        region("banner", banner(turn)),
        region("body", body_region(turn)),
        region("images", image_gallery(turn)),
        region("files", file_list(turn)),
        region("commands", command_list(turn)),
        region("done", done(turn)),
        region("steps", steps(turn)),
        region("status", status(turn)),
    ]
}

fn ask(turn: &TurnView) -> Markup {
    let is_long = turn.request.chars().count() > LONG_REQUEST;
    html! {
        div.ask id={ "t" (turn.number) "-ask" } .rewound[turn.rewound] {
            @if is_long {
                details id={ "t" (turn.number) "-long" } {
                    summary { (short(&turn.request, 200)) }
                    p.words { (turn.request) }
                }
            } @else { p.words { (turn.request) } }
            @if turn.images > 0 {
                p.dim { (turn.images) @if turn.images == 1 { " image" } @else { " images" } }
            }
            @if turn.rewound { (badge(Tone::Plain, "↩ Rewound")) }
        }
    }
}

fn progress(turn: &TurnView) -> Markup {
    html! {
        div.progress id={ "t" (turn.number) "-progress" } {
            @if turn.is_running() {
                div.busy aria-busy="true" {
                    span.spinner aria-hidden="true" {}
                    ul { @for words in &turn.progress { li { (words) } } @if turn.progress.is_empty() { li { "Saved" } } }
                }
            } @else if let Some(words) = turn.progress.last() {
                @if turn.loaded.is_empty() && turn.not_found.is_empty() { p.dim { (words) } }
                @else {
                    details id={ "t" (turn.number) "-read" } {
                        summary.dim { (words) }
                        ul {
                            @for path in &turn.loaded { li { code { (path) } } }
                            @for pattern in &turn.not_found { li { "⚠️ not found: " code { (pattern) } } }
                        }
                    }
                }
            }
            @if let Some(uploads) = &turn.uploads { (upload_list(turn.number, uploads)) }
        }
    }
}

fn banner(turn: &TurnView) -> Markup {
    let id = format!("t{}-banner", turn.number);
    let Some(banner) = &turn.banner else { return html! { div id=(id) {} } };
    html! {
        div id=(id) {
            @if let Some(words) = &banner.recovered {
                div.notice.wait role="alert" { (lines(words)) (banner_buttons(banner)) }
            }
            @if let Some(words) = &banner.blocked {
                div.notice.bad role="alert" {
                    (lines(words))
                    @if banner.recovered.is_none() { (banner_buttons(banner)) }
                }
            }
        }
    }
}

fn lines(words: &str) -> Markup {
    html! { @for (at, line) in words.lines().enumerate() { p .title[at == 0] { (line) } } }
}

fn banner_buttons(banner: &Banner) -> Markup {
    html! {
        div.actions {
            button.small type="button" data-act=(action("retry", json!({}))) { span aria-hidden="true" { "🔄 " } "Retry" }
            @if banner.can_continue {
                button.small type="button" data-act=(action("continue", json!({}))) { span aria-hidden="true" { "✓ " } "Continue" }
            }
        }
    }
}

/// Draws the blocks of an answer in their place.
pub fn body_region(turn: &TurnView) -> Markup {
    html! {
        div.body id={ "t" (turn.number) "-body" } {
            @for (at, (block, is_open)) in all_blocks(turn).iter().enumerate() {
                (render_block(turn.number, at, block, *is_open))
            }
        }
    }
}

// The blocks of the answer, or of what arrived so far; the last one may be open.
fn all_blocks(turn: &TurnView) -> Vec<(AnswerBlock, bool)> {
    match &turn.arrived {
        Some(text) if turn.answer.is_none() => {
            let mut live = LiveAnswer::default();
            let steps = live.push(text);
            let mut blocks: Vec<(AnswerBlock, bool)> = Vec::new();
            for step in steps {
                match step {
                    LiveStep::Open(block) => blocks.push((block, true)),
                    LiveStep::Text(more) => {
                        if let Some((open, true)) = blocks.last_mut() {
                            open.block.text.push_str(&more);
                        }
                    }
                    LiveStep::Close(block) => {
                        if let Some(last) = blocks.last_mut() {
                            *last = (block, false);
                        }
                    }
                }
            }
            blocks
        }
        _ => final_blocks(turn).into_iter().map(|block| (block, false)).collect(),
    }
}

/// Lists the blocks of an answer that was read.
pub fn final_blocks(turn: &TurnView) -> Vec<AnswerBlock> {
    let Some(answer) = &turn.answer else { return Vec::new() };
    let lead = answer.summary.as_ref().or(answer.summary_fragment.as_ref());
    let mut blocks = Vec::new();
    if let Some(text) = lead.or(answer.plain_text.as_ref()) {
        blocks.extend(field_blocks(&Shown::Lead, text));
    }
    for section in &answer.sections {
        blocks.extend(field_blocks(&Shown::Heading, &section.heading));
        blocks.extend(field_blocks(&Shown::Section, &section.content));
    }
    blocks
}

/// Draws a block. An open one is plain text to which more is added.
pub fn render_block(turn: u32, at: usize, shown: &AnswerBlock, is_open: bool) -> Markup {
    let id = format!("t{turn}-b{at}");
    let AnswerBlock { of, block } = shown;
    let TextBlock { kind, text } = block;
    // The first block is what the summary bar is about.
    let is_summary = (at == 0 && *of == Shown::Lead).then_some("");
    match (of, kind) {
        (Shown::File { path }, _) => html! {
            div.block.writing.far[at >= FAR] id=(id) {
                p.dim { "✎ " code { @if path.is_empty() { "…" } @else { (path) } } }
                pre.code tabindex="0" role="group" aria-label={ "Writing " (path) } { code id={ (id) "-text" } { (text) } }
            }
        },
        (Shown::Heading, _) => html! {
            h3.block.section.far[at >= FAR] id=(id) { span id={ (id) "-text" } { (text.trim()) } }
        },
        (_, BlockKind::Code { language, continued }) => html! {
            div.block.code-block.continued[*continued].far[at >= FAR] id=(id) {
                @if !language.is_empty() && !continued { span.language { (language) } }
                pre.code tabindex="0" role="group" aria-label={ "Code " (language) } {
                    code id={ (id) "-text" } { @if is_open { (text) } @else { (highlighted(text, language)) } }
                }
            }
        },
        (_, BlockKind::Prose) => html! {
            div.block.prose.lead[*of == Shown::Lead].far[at >= FAR] id=(id) data-summary=[is_summary] {
                @if is_open { p.open id={ (id) "-text" } { (text) } } @else { (markdown(text)) }
            }
        },
    }
}

fn done(turn: &TurnView) -> Markup {
    html! {
        div id={ "t" (turn.number) "-done" } {
            @if !turn.done.is_empty() && !turn.is_running() {
                div.done {
                    h3 { "What was done" }
                    ul { @for line in &turn.done { (done_line(line)) } }
                }
            }
        }
    }
}

fn done_line(line: &DoneLine) -> Markup {
    let (sign, class) = match line.good {
        Some(true) => ("✓", "good"),
        Some(false) => ("✗", "bad"),
        None => ("·", "plain"),
    };
    html! {
        li {
            span class={ "mark " (class) } aria-hidden="true" { (sign) }
            div {
                span { (line.words) }
                @if !line.details.is_empty() { ul.details { @for words in &line.details { li { (words) } } } }
            }
        }
    }
}

fn steps(turn: &TurnView) -> Markup {
    html! {
        div id={ "t" (turn.number) "-steps" } {
            @if !turn.steps.is_empty() && !turn.is_running() {
                ul.steps aria-label="Next steps" {
                    @for step in &turn.steps {
                        li { button.step type="button" data-fill=(step.input_text) { (step.html) } }
                    }
                }
            }
        }
    }
}

fn status(turn: &TurnView) -> Markup {
    let waiting_changes = turn.files_in(FileState::Waiting);
    let waiting_commands = if turn.is_running() { 0 } else { turn.open_commands() };
    let facts = StatusFacts {
        status: turn.status,
        applied: turn.files_in(FileState::Applied),
        waiting_changes,
        waiting_commands,
        tokens: turn.tokens,
    };
    let words = status_badge(&facts);
    html! {
        footer.status id={ "t" (turn.number) "-status" } data-status=(words) {
            (badge(tone_of(turn.status, waiting_changes + waiting_commands > 0), words))
            @if facts.applied > 0 { span.good { "✓ " (facts.applied) " applied" } }
            @if let Some(act) = apply_all(turn) {
                button.small.primary type="button" data-act=(act) { "Apply " (open_changes(turn)) " changes" }
            }
            @if waiting_commands > 1 {
                button.small type="button" data-act=[run_all(turn)] data-later=[run_all(turn).is_none().then_some(LATER)] { (run_all_label(waiting_commands)) }
            }
            @if let Some(why) = turn.why.as_deref().filter(|why| !why.is_empty()) { span.why { (why) } }
            span.facts.dim {
                @if !turn.is_running() {
                    span.nowrap { (thousands(turn.tokens)) " tokens" }
                    @if turn.micro_dollars > 0 { span.nowrap { (dollars(turn.micro_dollars)) } }
                    @if let Some(model) = &turn.model { span.nowrap { (model) } }
                }
                (moment(turn.at))
            }
            span.actions {
                @if can_retry(turn) { button.small type="button" data-act=(action("retry", json!({}))) { "Retry" } }
                @if turn.can_rewind && !turn.rewound { button.small type="button" data-act=(action("rewind", json!({ "turn": turn.number }))) { "Rewind" } }
            }
        }
    }
}

// The changes that wait and that nobody decided about.
fn open_changes(turn: &TurnView) -> usize {
    let is_open = |file: &&FileView| file.state == FileState::Waiting && !file.is_left();
    turn.files.iter().filter(is_open).count()
}

// All of them, as one decision.
fn apply_all(turn: &TurnView) -> Option<String> {
    let approval =
        turn.files.iter().find(|file| file.state == FileState::Waiting)?.approval.as_ref()?;
    (open_changes(turn) > 1).then(|| action("apply", json!({ "approval": approval })))
}

// All commands that wait, as one decision.
fn run_all(turn: &TurnView) -> Option<String> {
    let is_open = |command: &&CommandView| !command.early;
    let approval =
        turn.commands.iter().filter(is_open).find_map(|command| command.approval.as_deref())?;
    Some(action("runAll", json!({ "approval": approval })))
}

fn can_retry(turn: &TurnView) -> bool {
    let ended_badly = matches!(
        turn.status,
        TurnStatus::Failed | TurnStatus::Cancelled | TurnStatus::NeedsAttention
    );
    ended_badly && turn.banner.is_none() && !turn.rewound
}

fn tone_of(status: TurnStatus, waits: bool) -> Tone {
    match status {
        TurnStatus::Failed | TurnStatus::NeedsAttention => Tone::Bad,
        TurnStatus::Cancelled => Tone::Plain,
        TurnStatus::Pending | TurnStatus::Running => Tone::Info,
        TurnStatus::Waiting | TurnStatus::CompletedPartial => Tone::Wait,
        TurnStatus::Completed if waits => Tone::Wait,
        TurnStatus::Completed => Tone::Good,
    }
}
