//! Reads one block of a manifest.
//!
//! In: a member of the text. Out: the block, with the places that are looked at again when all blocks are known.
//! Never looks at other blocks.

use super::names::nearest;
use super::problem::ProblemCode;
use super::read::{Member, Reader};
use super::worker::{Worker, WorkerOptions};
use super::{FlowBlock, Transition, bare};
use crate::workflow::payload::MergeRule;
use salve_model::Role;
use salve_text::{NodeId, SchemaName};
use salve_types::{SegmentKind, Signal, Span};
use serde_json::Value;

const KEYS: &[&str] = &[
    "worker",
    "validationSchema",
    "payload_merge_strategy",
    "transitions",
    "options",
    "description",
];

/// A block, and where it is.
pub(super) struct ReadBlock {
    pub(super) block: FlowBlock,
    /// Its name in the text.
    pub(super) at: Span,
    /// Where the action of each transition is.
    pub(super) actions: Vec<Span>,
}

pub(super) fn read_block(
    reader: &mut Reader<'_>,
    member: &Member,
    name: &str,
    node: Option<&str>,
) -> Option<ReadBlock> {
    let at = reader.span(member.key_at);
    let place = format!("Block:{name}");
    let members = reader.members(member.value, &place)?;
    let find =
        |key: &str| members.iter().find(|member| member.key == key).map(|member| member.value);
    for member in members.iter().filter(|member| !KEYS.contains(&member.key.as_str())) {
        reader.unknown_key(&format!("{place}.{}", member.key), member.key_at, &member.key, KEYS);
    }
    if let Some(description) = find("description") {
        let _ = reader.text(description, &format!("{place}.description"));
    }
    let worker = match find("worker") {
        Some(value) => read_worker(reader, value, &format!("{place}.worker")),
        None => missing(reader, &place, at, "worker"),
    };
    let schema = find("validationSchema")
        .and_then(|value| read_schema(reader, value, &format!("{place}.validationSchema"), worker));
    let merge = find("payload_merge_strategy")
        .map(|value| read_merge(reader, value, &format!("{place}.payload_merge_strategy")));
    let options = find("options");
    let options = read_options(reader, options, &format!("{place}.options"), worker, at);
    let transitions = match find("transitions") {
        Some(value) => read_transitions(reader, value, &format!("{place}.transitions")),
        None => missing(reader, &place, at, "transitions"),
    };
    let read = transitions.is_some();
    let (transitions, actions): (Vec<_>, Vec<_>) =
        transitions.unwrap_or_default().into_iter().unzip();
    if read && !transitions.iter().any(|one: &Transition| one.on_signal == Signal::Success) {
        let message = "no transition is on SIGNAL:SUCCESS; add `{ \"on_signal\": \"SIGNAL:SUCCESS\", \"action\": \
                       \"JUMP:Core_Halt__Success\" }` to end here";
        reader.say(ProblemCode::MissingTransition, &format!("{place}.transitions"), at, message);
    }
    let block = FlowBlock {
        name: name.to_owned(),
        node: node.map(str::to_owned),
        // One that is not known was reported; the rest of the block is looked at all the same.
        worker: worker.unwrap_or(Worker::Halt),
        options,
        schema,
        merge: merge.unwrap_or_default(),
        transitions,
    };
    Some(ReadBlock { block, at, actions })
}

fn missing<T>(reader: &mut Reader<'_>, place: &str, at: Span, key: &str) -> Option<T> {
    let message = format!("the block has no `{key}`");
    reader.say(ProblemCode::MissingKey, &format!("{place}.{key}"), at, message);
    None
}

fn read_worker(reader: &mut Reader<'_>, value: NodeId, place: &str) -> Option<Worker> {
    let name = reader.text(value, place)?;
    let Some(worker) = Worker::from_name(&name) else {
        let known = Worker::ALL.map(Worker::name);
        let near = nearest(&name, known.into_iter());
        let message = format!("no worker is called `{name}`{near}; known are {}", known.join(", "));
        reader.say(ProblemCode::UnknownWorker, place, reader.span(value), message);
        return None;
    };
    Some(worker)
}

fn read_schema(
    reader: &mut Reader<'_>,
    value: NodeId,
    place: &str,
    worker: Option<Worker>,
) -> Option<String> {
    let name = reader.text(value, place)?;
    let is_known = name.parse::<SchemaName>().is_ok() || reader.schemas.contains_key(&name);
    if !is_known {
        let own: Vec<String> = reader.schemas.keys().cloned().collect();
        let known =
            SchemaName::ALL.map(SchemaName::name).into_iter().chain(own.iter().map(String::as_str));
        let known: Vec<&str> = known.collect();
        let message = format!("no schema is called `{name}`; known are {}", known.join(", "));
        reader.say(ProblemCode::UnknownSchema, place, reader.span(value), message);
        return None;
    }
    if let Some(worker) = worker.filter(|worker| !worker.makes_output()) {
        let message =
            format!("the worker {} makes no output that a schema could be about", worker.name());
        reader.say(ProblemCode::BadOption, place, reader.span(value), message);
    }
    Some(name)
}

fn read_merge(reader: &mut Reader<'_>, value: NodeId, place: &str) -> MergeRule {
    let mut rule = MergeRule::default();
    let items = reader.items(value, place).unwrap_or_default();
    let alone = items.len() == 1;
    for (index, item) in items.into_iter().enumerate() {
        let place = format!("{place}[{index}]");
        let Some(word) = reader.text(item, &place) else { continue };
        match (word.as_str(), SegmentKind::from_name(&word)) {
            ("all", _) if alone => {}
            ("all", _) => {
                let message = "`all` lets every segment pass, so nothing may be beside it";
                reader.say(ProblemCode::UnknownStrategy, &place, reader.span(item), message);
            }
            ("latest", _) => rule.latest = true,
            (_, Some(kind)) if rule.kinds.contains(&kind) => {
                let message = format!("`{word}` is there twice");
                reader.say(ProblemCode::UnknownStrategy, &place, reader.span(item), message);
            }
            (_, Some(kind)) => rule.kinds.push(kind),
            (_, None) => {
                let known = SegmentKind::ALL.map(SegmentKind::name).join(", ");
                let message =
                    format!("no merge strategy is called `{word}`; known are all, latest, {known}");
                reader.say(ProblemCode::UnknownStrategy, &place, reader.span(item), message);
            }
        }
    }
    rule
}

fn read_transitions(
    reader: &mut Reader<'_>,
    value: NodeId,
    place: &str,
) -> Option<Vec<(Transition, Span)>> {
    let mut found: Vec<(Transition, Span)> = Vec::new();
    for (index, item) in reader.items(value, place)?.into_iter().enumerate() {
        let place = format!("{place}[{index}]");
        let Some(read) = read_transition(reader, item, &place) else { continue };
        if found.iter().any(|(other, _)| other.on_signal == read.0.on_signal) {
            let message = format!(
                "another transition of the block is on {} already",
                read.0.on_signal.name()
            );
            reader.say(
                ProblemCode::DuplicateSignal,
                &format!("{place}.on_signal"),
                reader.span(item),
                message,
            );
            continue;
        }
        found.push(read);
    }
    Some(found)
}

fn read_transition(
    reader: &mut Reader<'_>,
    item: NodeId,
    place: &str,
) -> Option<(Transition, Span)> {
    let members = reader.members(item, place)?;
    let (mut signal, mut action) = (None, None);
    for member in &members {
        let inner = format!("{place}.{}", member.key);
        match member.key.as_str() {
            "on_signal" => signal = Some(read_signal(reader, member.value, &inner)),
            "action" => action = Some(read_action(reader, member.value, &inner)),
            key => reader.unknown_key(&inner, member.key_at, key, &["on_signal", "action"]),
        }
    }
    for (key, is_absent) in [("on_signal", signal.is_none()), ("action", action.is_none())] {
        if is_absent {
            let message = format!("the transition has no `{key}`");
            reader.say(
                ProblemCode::MissingKey,
                &format!("{place}.{key}"),
                reader.span(item),
                message,
            );
        }
    }
    let (to, at) = action.flatten()?;
    Some((Transition { on_signal: signal.flatten()?, to }, at))
}

fn read_signal(reader: &mut Reader<'_>, value: NodeId, place: &str) -> Option<Signal> {
    let name = reader.text(value, place)?;
    let signal = Signal::from_name(&name);
    if signal.is_none() {
        let known = Signal::ALL.map(Signal::name);
        let message = format!("no signal is called `{name}`; known are {}", known.join(", "));
        reader.say(ProblemCode::UnknownSignal, place, reader.span(value), message);
    }
    signal
}

fn read_action(reader: &mut Reader<'_>, value: NodeId, place: &str) -> Option<(String, Span)> {
    let action = reader.text(value, place)?;
    let span = reader.span(value);
    let target = action.strip_prefix("JUMP:").map(bare).filter(|target| !target.trim().is_empty());
    let Some(target) = target else {
        let message = format!("`{action}` is no action; write `JUMP:` and the name of a block");
        reader.say(ProblemCode::BadAction, place, span, message);
        return None;
    };
    Some((target.to_owned(), span))
}

fn read_options(
    reader: &mut Reader<'_>,
    value: Option<NodeId>,
    place: &str,
    worker: Option<Worker>,
    at: Span,
) -> WorkerOptions {
    let mut options = WorkerOptions::default();
    let members = value.and_then(|value| reader.members(value, place)).unwrap_or_default();
    for member in &members {
        let inner = format!("{place}.{}", member.key);
        let known = worker.map_or(&["instructions", "role", "command"][..], Worker::options);
        if !known.contains(&member.key.as_str()) {
            reader.unknown_key(&inner, member.key_at, &member.key, known);
            continue;
        }
        let Some(text) = reader.text(member.value, &inner) else { continue };
        if text.trim().is_empty() {
            reader.say(
                ProblemCode::BadOption,
                &inner,
                reader.span(member.value),
                "this says nothing",
            );
        }
        match member.key.as_str() {
            "instructions" => options.instructions = Some(text),
            "command" => options.command = Some(text),
            _ => match serde_json::from_value::<Role>(Value::String(text.clone())) {
                Ok(role) if matches!(role, Role::Fast | Role::Medium | Role::Deep) => {
                    options.role = Some(role);
                }
                _ => {
                    let message =
                        format!("no role is called `{text}`; known are fast, medium, deep");
                    reader.say(ProblemCode::BadOption, &inner, reader.span(member.value), message);
                }
            },
        }
    }
    if worker == Some(Worker::Command) && !members.iter().any(|member| member.key == "command") {
        let message = "the worker Internal:Command needs `\"options\": { \"command\": … }`";
        reader.say(ProblemCode::MissingKey, &format!("{place}.command"), at, message);
    }
    options
}
