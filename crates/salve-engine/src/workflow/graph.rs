//! A workflow as a picture: lines of text, or SVG.
//!
//! In: a manifest. Out: its blocks in the order of the ways from the start, with a way for each signal. Never a
//! name that is not escaped.

use super::manifest::{END, FlowBlock, FlowManifest, HALT, Worker};
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: usize = 300;
const HEIGHT: usize = 64;
const GAP_X: usize = 60;
const GAP_Y: usize = 84;
const MARGIN: usize = 30;

/// Draws a workflow as text: one block a paragraph, one way a line.
pub fn text(manifest: &FlowManifest) -> String {
    let mut out = String::new();
    for (block, _) in ordered(manifest) {
        let node = block.node.as_ref().map(|node| format!("  ({node})")).unwrap_or_default();
        let start = if block.name == manifest.start { "▶ " } else { "  " };
        let schema = block.schema.as_ref().map(|name| format!("  validates {name}"));
        let _ = writeln!(
            out,
            "{start}{}{node}  [{}]{}",
            block.name,
            block.worker.name(),
            schema.unwrap_or_default()
        );
        for way in &block.transitions {
            let _ = writeln!(out, "    {:<24} → {}", way.on_signal.name(), way.to);
        }
    }
    out
}

/// Draws a workflow as SVG.
pub fn svg(manifest: &FlowManifest) -> String {
    let places = places(manifest);
    let rows = places.values().map(|at| at.1).max().unwrap_or_default() + 1;
    let columns = places.values().map(|at| at.0).max().unwrap_or_default() + 1;
    let width = 2 * MARGIN + columns * (WIDTH + GAP_X) + GAP_X;
    let height = 2 * MARGIN + rows * (HEIGHT + GAP_Y) - GAP_Y;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-label=\"Workflow\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto-start-reverse\"><path d=\"M0 0 8 4 0 8z\" fill=\"#667085\"/></marker></defs>\n"
    );
    for (block, _) in ordered(manifest) {
        for (index, way) in block.transitions.iter().enumerate() {
            if let (Some(from), Some(to)) =
                (places.get(block.name.as_str()), places.get(way.to.as_str()))
            {
                arrow(&mut out, *from, *to, index, way.on_signal.name());
            }
        }
    }
    for (block, _) in ordered(manifest) {
        if let Some(at) = places.get(block.name.as_str()) {
            draw_block(&mut out, block, *at, block.name == manifest.start);
        }
    }
    out.push_str("</svg>\n");
    out
}

// Blocks by their distance from the start; each row has those of one distance.
fn ordered(manifest: &FlowManifest) -> Vec<(&FlowBlock, usize)> {
    let mut depth: BTreeMap<&str, usize> = BTreeMap::from([(manifest.start.as_str(), 0)]);
    let mut open = std::collections::VecDeque::from([manifest.start.as_str()]);
    let mut found = Vec::new();
    while let Some(name) = open.pop_front() {
        let Some(block) = manifest.block(name) else { continue };
        let here = depth.get(name).copied().unwrap_or_default();
        found.push((block, here));
        for way in &block.transitions {
            if !depth.contains_key(way.to.as_str()) {
                depth.insert(&way.to, here + 1);
                open.push_back(&way.to);
            }
        }
    }
    // Where signals without a way end.
    let rest = manifest.blocks.iter().filter(|block| !depth.contains_key(block.name.as_str()));
    let last = found.iter().map(|(_, depth)| *depth).max().unwrap_or_default() + 1;
    found.extend(rest.map(|block| (block, last)));
    found
}

fn places(manifest: &FlowManifest) -> BTreeMap<&str, (usize, usize)> {
    let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
    let mut places = BTreeMap::new();
    for (block, row) in ordered(manifest) {
        let column = columns.entry(row).or_default();
        places.insert(block.name.as_str(), (*column, row));
        *column += 1;
    }
    places
}

fn corner((column, row): (usize, usize)) -> (usize, usize) {
    (MARGIN + column * (WIDTH + GAP_X), MARGIN + row * (HEIGHT + GAP_Y))
}

fn draw_block(out: &mut String, block: &FlowBlock, at: (usize, usize), is_start: bool) {
    let (x, y) = corner(at);
    let fill = match (block.worker, block.name.as_str()) {
        (_, END) => "#ecfdf3",
        (_, HALT) => "#fef3f2",
        (Worker::CodeGenerator | Worker::Heal, _) => "#eff8ff",
        _ => "#ffffff",
    };
    let stroke = if is_start { 3 } else { 1 };
    let schema = block.schema.as_ref().map(|name| format!(" · {name}")).unwrap_or_default();
    let _ = writeln!(
        out,
        "<g><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"8\" fill=\"{fill}\" stroke=\"#475467\" \
         stroke-width=\"{stroke}\"/><text x=\"{}\" y=\"{}\" font-weight=\"600\">{}</text><text x=\"{}\" y=\"{}\" \
         fill=\"#475467\">{}</text></g>",
        x + 12,
        y + 27,
        escaped(&shortened(&block.name)),
        x + 12,
        y + 47,
        escaped(&shortened(&format!("{}{schema}", block.worker.name()))),
    );
}

fn arrow(out: &mut String, from: (usize, usize), to: (usize, usize), index: usize, label: &str) {
    let ((fx, fy), (tx, ty)) = (corner(from), corner(to));
    let start = fx + 40 + (index * 64) % (WIDTH - 60);
    let (path, x, y) = if to.1 > from.1 {
        let end = tx + 40 + (index * 64) % (WIDTH - 60);
        let (y1, y2) = (fy + HEIGHT, ty);
        let middle = y1 + GAP_Y / 2;
        (
            format!("M{start} {y1} C{start} {middle} {end} {middle} {end} {y2}"),
            start + 4,
            y1 + 16 + 14 * (index % 4),
        )
    } else {
        // Back, or to itself: around the right side.
        let side = fx.max(tx) + WIDTH;
        let (y1, y2) = (fy + 20 + 10 * (index % 3), ty + HEIGHT - 12);
        let out_by = side + 24 + 8 * (index % 4);
        (
            format!("M{} {y1} C{out_by} {y1} {out_by} {y2} {} {y2}", fx + WIDTH, tx + WIDTH),
            side + 6,
            y1.min(y2).saturating_sub(4),
        )
    };
    let label = label.trim_start_matches("SIGNAL:");
    let _ = writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"#667085\" marker-end=\"url(#tip)\"/><text x=\"{x}\" y=\"{y}\" \
         font-size=\"10\" fill=\"#667085\">{}</text>",
        escaped(label)
    );
}

fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
