//! Reads a manifest: the whole of it, with the place of everything.
//!
//! In: a text. Out: a manifest, or every problem. Never stops at the first problem where it can go on.

use super::blocks::{ReadBlock, read_block};
use super::names::{is_name, nearest};
use super::problem::{Problem, ProblemCode};
use super::reach::add_built_in_and_check_ways;
use super::strip::{Source, place_of};
use super::{END, FlowManifest, HALT, Limits, bare};
use salve_text::{
    CompiledSchema, Kind, NodeId, ParseMode, ParseOptions, SchemaName, Tree, parse_json,
};
use salve_types::{Span, SpendLimit};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// More blocks than anyone writes.
const MOST_BLOCKS: usize = 1_000;
/// More of a limit than anyone needs.
const MOST_RUNS: u64 = 10_000;

const TOP: &[&str] = &["$schema", "description", "start", "limits", "schemas", "nodes", "blocks"];

pub(super) fn read(text: &str) -> Result<FlowManifest, Vec<Problem>> {
    let source = Source::new(text).map_err(|(at, message)| {
        let (line, column) = place_of(text.strip_prefix('\u{feff}').unwrap_or(text), at);
        let message = format!("this is not JSON (comments are allowed): {message}");
        vec![Problem { code: ProblemCode::NotJson, place: "$".into(), line, column, message }]
    })?;
    let options = ParseOptions { mode: ParseMode::Text, ..ParseOptions::default() };
    let parsed = parse_json(&source.json, &options);
    let mut reader = Reader {
        source: &source,
        tree: &parsed.tree,
        problems: Vec::new(),
        schemas: BTreeMap::new(),
    };
    let manifest = match parsed.tree.root() {
        Some(root) => reader.manifest(root),
        None => None,
    };
    match manifest {
        Some(manifest) if reader.problems.is_empty() => Ok(manifest),
        _ if reader.problems.is_empty() => {
            reader.say(ProblemCode::NotJson, "$", Span::new(0, 0), "there is nothing to read");
            Err(reader.problems)
        }
        _ => Err(reader.problems),
    }
}

/// A member of an object.
pub(super) struct Member {
    pub(super) key: String,
    pub(super) key_at: NodeId,
    pub(super) value: NodeId,
}

/// A text being read, and what is wrong with it so far.
pub(super) struct Reader<'a> {
    source: &'a Source<'a>,
    tree: &'a Tree,
    pub(super) problems: Vec<Problem>,
    pub(super) schemas: BTreeMap<String, Value>,
}

impl Reader<'_> {
    fn manifest(&mut self, root: NodeId) -> Option<FlowManifest> {
        let members = self.members(root, "$")?;
        let (mut description, mut start, mut limits) = (None, None, Limits::default());
        // Schemas first: blocks name them, wherever they are.
        for member in members.iter().filter(|member| member.key == "schemas") {
            self.own_schemas(member.value);
        }
        let mut blocks: Vec<ReadBlock> = Vec::new();
        for member in &members {
            match member.key.as_str() {
                "$schema" => drop(self.text(member.value, "$schema")),
                "description" => description = self.text(member.value, "description"),
                "start" => {
                    let named = self.text(member.value, "start");
                    start = named.map(|name| (name, self.tree.span(member.value)));
                }
                "limits" => limits = self.limits(member.value),
                "schemas" => {}
                "blocks" => self.blocks(member.value, "blocks", None, &mut blocks),
                "nodes" => self.nodes(member.value, &mut blocks),
                key if key.starts_with("Block:") => self.block(member, None, &mut blocks),
                key => self.unknown_key(key, member.key_at, key, TOP),
            }
        }
        if blocks.is_empty() {
            if self.problems.is_empty() {
                let message = "there is no block; write `\"Block:NAME\": { \"worker\": …, \"transitions\": […] }`";
                self.say(ProblemCode::NoBlocks, "$", self.tree.span(root), message);
            }
            return None;
        }
        let start = self.start(start, &blocks)?;
        let blocks = add_built_in_and_check_ways(self, &blocks, &start);
        let schemas = std::mem::take(&mut self.schemas);
        Some(FlowManifest { description, start, blocks, schemas, limits })
    }

    fn start(&mut self, named: Option<(String, Span)>, blocks: &[ReadBlock]) -> Option<String> {
        let Some((name, span)) = named else {
            return blocks.first().map(|first| first.block.name.clone());
        };
        if let Some(found) = blocks.iter().find(|block| block.block.name == bare(&name)) {
            return Some(found.block.name.clone());
        }
        let known = blocks.iter().map(|block| block.block.name.as_str());
        let message = format!(
            "no block of this file is called `{}`{}",
            bare(&name),
            nearest(bare(&name), known)
        );
        self.say(ProblemCode::UnknownBlock, "start", span, message);
        None
    }

    fn nodes(&mut self, value: NodeId, blocks: &mut Vec<ReadBlock>) {
        for node in self.members(value, "nodes").unwrap_or_default() {
            let place = format!("nodes.{}", node.key);
            if !is_name(&node.key) {
                let message = "a node's name has letters, digits, `_`, `-` and `.`, at most 100";
                self.say(ProblemCode::BadName, &place, self.tree.span(node.key_at), message);
            }
            for member in self.members(node.value, &place).unwrap_or_default() {
                let inner = format!("{place}.{}", member.key);
                match member.key.as_str() {
                    "description" => drop(self.text(member.value, &inner)),
                    "blocks" => self.blocks(member.value, &inner, Some(&node.key), blocks),
                    key if key.starts_with("Block:") => {
                        self.block(&member, Some(&node.key), blocks);
                    }
                    key => self.unknown_key(&inner, member.key_at, key, &["description", "blocks"]),
                }
            }
        }
    }

    fn blocks(
        &mut self,
        value: NodeId,
        place: &str,
        node: Option<&str>,
        blocks: &mut Vec<ReadBlock>,
    ) {
        for member in self.members(value, place).unwrap_or_default() {
            self.block(&member, node, blocks);
        }
    }

    fn block(&mut self, member: &Member, node: Option<&str>, blocks: &mut Vec<ReadBlock>) {
        let name = bare(&member.key);
        let place = format!("Block:{name}");
        let span = self.tree.span(member.key_at);
        if !is_name(name) {
            let message = "a block's name has letters, digits, `_`, `-` and `.`, at most 100";
            self.say(ProblemCode::BadName, &place, span, message);
            return;
        }
        if blocks.iter().any(|other| other.block.name == name) {
            let message = format!("a block called `{name}` is there already");
            self.say(ProblemCode::DuplicateBlock, &place, span, message);
            return;
        }
        if [END, HALT].contains(&name) {
            let message =
                format!("`{name}` is built in and ends a flow; call the block something else");
            self.say(ProblemCode::BadName, &place, span, message);
            return;
        }
        if blocks.len() >= MOST_BLOCKS {
            let message = format!("there are more than {MOST_BLOCKS} blocks");
            self.say(ProblemCode::BadLimit, &place, span, message);
            return;
        }
        if let Some(block) = read_block(self, member, name, node) {
            blocks.push(block);
        }
    }

    fn own_schemas(&mut self, value: NodeId) {
        for member in self.members(value, "schemas").unwrap_or_default() {
            let place = format!("schemas.{}", member.key);
            let span = self.tree.span(member.key_at);
            if !is_name(&member.key) {
                self.say(
                    ProblemCode::BadName,
                    &place,
                    span,
                    "a schema's name has letters, digits, `_`, `-` and `.`",
                );
            } else if member.key.parse::<SchemaName>().is_ok() {
                let message =
                    format!("`{}` is a schema that Salve has; call it something else", member.key);
                self.say(ProblemCode::BadName, &place, span, message);
            }
            let schema = self.tree.to_value(member.value);
            match CompiledSchema::new(schema.clone()) {
                Ok(_) => drop(self.schemas.insert(member.key, schema)),
                Err(error) => {
                    self.say(
                        ProblemCode::BadSchema,
                        &place,
                        self.tree.span(member.value),
                        error.to_string(),
                    );
                }
            }
        }
    }

    fn limits(&mut self, value: NodeId) -> Limits {
        const KNOWN: &[&str] = &["reworks", "runsPerBlock", "runs", "tokens", "dollars"];
        let mut limits = Limits::default();
        for member in self.members(value, "limits").unwrap_or_default() {
            let place = format!("limits.{}", member.key);
            let count = |reader: &mut Self, least: u64, most: u64| {
                reader.whole(member.value, &place, least, most)
            };
            let small = |found: Option<u64>, before: u32| {
                found.and_then(|found| u32::try_from(found).ok()).unwrap_or(before)
            };
            match member.key.as_str() {
                "reworks" => limits.reworks = small(count(self, 0, 20), limits.reworks),
                "runsPerBlock" => {
                    limits.runs_per_block = small(count(self, 1, 1_000), limits.runs_per_block);
                }
                "runs" => limits.runs = small(count(self, 1, MOST_RUNS), limits.runs),
                "tokens" => limits.budget.tokens = count(self, 1, u64::MAX),
                "dollars" => {
                    limits.budget = SpendLimit {
                        micro_dollars: self.dollars(member.value, &place),
                        ..limits.budget
                    }
                }
                key => self.unknown_key(&place, member.key_at, key, KNOWN),
            }
        }
        limits
    }

    fn whole(&mut self, value: NodeId, place: &str, least: u64, most: u64) -> Option<u64> {
        let found = match self.tree.to_value(value) {
            Value::Number(number) => number.as_u64(),
            _ => None,
        };
        let fits = found.filter(|found| (least..=most).contains(found));
        if fits.is_none() {
            let upper = if most == u64::MAX { "up".to_owned() } else { format!("to {most}") };
            let message = format!("this must be a whole number from {least} {upper}");
            self.say(ProblemCode::BadLimit, place, self.tree.span(value), message);
        }
        fits
    }

    fn dollars(&mut self, value: NodeId, place: &str) -> Option<u64> {
        let found = match self.tree.to_value(value) {
            Value::Number(number) => number.as_f64(),
            _ => None,
        };
        let Some(dollars) = found.filter(|dollars| (0.0..=1e6).contains(dollars) && *dollars > 0.0)
        else {
            let message = "this must be an amount of dollars above 0";
            self.say(ProblemCode::BadLimit, place, self.tree.span(value), message);
            return None;
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 1e12"
        )]
        Some((dollars * 1e6).ceil() as u64)
    }

    /// Returns the members of an object; keys that come twice are reported.
    pub(super) fn members(&mut self, value: NodeId, place: &str) -> Option<Vec<Member>> {
        if self.tree.kind(value) != Kind::Object {
            self.wrong_type(value, place, "an object");
            return None;
        }
        let mut seen = BTreeSet::new();
        let mut members = Vec::new();
        for (key_at, value) in self.tree.entries(value) {
            let key = self.tree.text(key_at).into_owned();
            if !seen.insert(key.clone()) {
                let inner = if place == "$" { key.clone() } else { format!("{place}.{key}") };
                let message = format!("the key `{key}` is there twice");
                self.say(ProblemCode::DuplicateKey, &inner, self.tree.span(key_at), message);
                continue;
            }
            members.push(Member { key, key_at, value });
        }
        Some(members)
    }

    /// Returns the items of a list.
    pub(super) fn items(&mut self, value: NodeId, place: &str) -> Option<Vec<NodeId>> {
        if self.tree.kind(value) != Kind::Array {
            self.wrong_type(value, place, "a list");
            return None;
        }
        Some(self.tree.items(value).collect())
    }

    /// Returns a text.
    pub(super) fn text(&mut self, value: NodeId, place: &str) -> Option<String> {
        if self.tree.kind(value) != Kind::String {
            self.wrong_type(value, place, "a text");
            return None;
        }
        Some(self.tree.text(value).into_owned())
    }

    fn wrong_type(&mut self, value: NodeId, place: &str, wanted: &str) {
        let found = match self.tree.kind(value) {
            Kind::Null => "null",
            Kind::Bool(_) => "true or false",
            Kind::Number => "a number",
            Kind::String => "a text",
            Kind::Array => "a list",
            Kind::Object => "an object",
        };
        let message = format!("this must be {wanted}, and is {found}");
        self.say(ProblemCode::WrongType, place, self.tree.span(value), message);
    }

    pub(super) fn unknown_key(&mut self, place: &str, at: NodeId, key: &str, known: &[&str]) {
        let known = match known {
            [] => "; none is known here".to_owned(),
            _ => format!("; known are {}", known.join(", ")),
        };
        let message = format!("the key `{key}` is not known{known}");
        self.say(ProblemCode::UnknownKey, place, self.tree.span(at), message);
    }

    /// Notes a problem.
    pub(super) fn say(
        &mut self,
        code: ProblemCode,
        place: &str,
        span: Span,
        message: impl Into<String>,
    ) {
        let (line, column) = self.source.place(span);
        let (place, message) = (place.to_owned(), message.into());
        self.problems.push(Problem { code, place, line, column, message });
    }

    pub(super) fn span(&self, node: NodeId) -> Span {
        self.tree.span(node)
    }
}
