//! Sessions as people and programs read them.
//!
//! In: rows of the store. Out: tables, stories, documents. Never a text of a model unescaped.

use crate::change::visible;
use crate::commands::gateway_keys::dollars;
use crate::commands::history::ago;
use crate::output;
use crate::table::{Align, table};
use crate::workspace::now;
use salve_store::{SessionRecord, TurnRecord};
use salve_types::{
    BugReport, CommandResult, SessionChange, SessionEvent, Timestamp, TodoItem, TurnStatus,
};
use serde_json::{Value, json};

/// How much of a line is shown.
const SHOWN: usize = 72;

/// What is shown of a session.
pub(super) struct Shown {
    pub(super) session: SessionRecord,
    pub(super) turns: Vec<TurnRecord>,
    pub(super) todos: Vec<TodoItem>,
    pub(super) changes: Vec<SessionChange>,
    pub(super) commands: Vec<CommandResult>,
    pub(super) bugs: Vec<BugReport>,
}

/// Returns a document in which moments are written as people read them.
pub(in crate::commands) fn dated(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| match value.as_i64() {
                Some(at) if matches!(name.as_str(), "at" | "created_at" | "updated_at") => {
                    (name, json!(Timestamp(at).to_string()))
                }
                _ => {
                    // What a model or a caller said is theirs.
                    let own = matches!(name.as_str(), "payload" | "result" | "plan" | "limits");
                    (name, if own { value } else { dated(value) })
                }
            })
            .collect(),
        Value::Array(values) => values.into_iter().map(dated).collect(),
        other => other,
    }
}

/// Returns the first line of a text, as far as it is shown.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if line.chars().count() <= SHOWN {
        return line.to_owned();
    }
    line.chars().take(SHOWN - 1).chain(['…']).collect()
}

/// Says how long ago a moment was.
pub(super) fn age(at: Timestamp) -> String {
    ago(now().saturating_sub(u64::try_from(at.0).unwrap_or_default()))
}

/// Lists sessions.
pub(super) fn list(sessions: &[SessionRecord]) -> String {
    let columns = [
        ("session", Align::Left),
        ("used", Align::Right),
        ("turns", Align::Right),
        ("in", Align::Right),
        ("out", Align::Right),
        ("cost", Align::Right),
        ("title", Align::Left),
        ("workspace", Align::Left),
    ];
    let rows: Vec<Vec<String>> = sessions
        .iter()
        .map(|one| {
            vec![
                one.id.to_string(),
                age(one.updated_at),
                one.turns.to_string(),
                one.tokens_in.to_string(),
                one.tokens_out.to_string(),
                dollars(one.micro_dollars),
                first_line(&one.title),
                one.workspace.clone(),
            ]
        })
        .collect();
    table(&columns, &rows)
}

/// Returns a session for programs.
pub(super) fn document(shown: &Shown) -> Value {
    let mut value = json!(shown.session);
    if let Some(fields) = value.as_object_mut() {
        // The count gives way to the turns themselves.
        fields.insert("turns".to_owned(), json!(shown.turns));
        fields.insert("todos".to_owned(), json!(shown.todos));
        fields.insert("changes".to_owned(), json!(shown.changes));
        fields.insert("commands".to_owned(), json!(shown.commands));
        fields.insert("bugs".to_owned(), json!(shown.bugs));
    }
    dated(value)
}

/// Tells a session.
pub(super) fn session(shown: &Shown) -> String {
    let one = &shown.session;
    let mut lines: Vec<(&str, String)> = vec![
        ("session", one.id.to_string()),
        ("title", one.title.clone()),
        ("workspace", one.workspace.clone()),
        ("begun", one.created_at.to_string()),
        ("last used", one.updated_at.to_string()),
        ("took", format!("{} in, {} out", one.tokens_in, one.tokens_out)),
        ("cost", dollars(one.micro_dollars)),
    ];
    lines.extend(one.parent.as_ref().map(|parent| ("goes on from", parent.to_string())));
    lines.extend(one.audit.then(|| ("audit", "on".to_owned())));
    lines.retain(|(_, value)| !value.is_empty());
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text: String =
        lines.iter().map(|(name, value)| format!("{name:<width$}  {}\n", visible(value))).collect();
    for turn in &shown.turns {
        text.push_str(&turn_lines(turn, &shown.changes));
    }
    if !shown.todos.is_empty() {
        text.push_str(&format!("\ntasks {}\n{}", progress(&shown.todos), tasks(&shown.todos)));
    }
    if !shown.commands.is_empty() {
        text.push_str("\ncommands\n");
        for command in &shown.commands {
            let ended = command.exit.map_or("ended".to_owned(), |exit| format!("exit {exit}"));
            let line = format!("turn {}  {ended}  {}", command.turn, first_line(&command.command));
            text.push_str(&format!("  {}\n", visible(&line)));
        }
    }
    if !shown.bugs.is_empty() {
        let count = output::counted(shown.bugs.len(), "fault");
        text.push_str(&format!("\n{count}; `salve sessions bugs {}` lists them\n", one.id));
    }
    text
}

fn turn_lines(turn: &TurnRecord, changes: &[SessionChange]) -> String {
    let taken_back = if turn.rewound { ", taken back" } else { "" };
    let again =
        if turn.attempt > 1 { format!(", attempt {}", turn.attempt) } else { String::new() };
    let model = turn.model.as_deref().map_or(String::new(), |model| format!("  {model}"));
    let mut text = format!(
        "\nturn {}  {}{again}{taken_back}  {}  {} in / {} out  {}{}\n",
        turn.index,
        status(turn.status),
        age(turn.created_at),
        turn.tokens_in,
        turn.tokens_out,
        dollars(turn.micro_dollars),
        visible(&model),
    );
    text.push_str(&format!("  > {}\n", visible(&first_line(&turn.text))));
    let said = turn.result.as_ref().and_then(|result| result["summary"].as_str());
    if let Some(said) = said.filter(|said| !said.is_empty()) {
        text.push_str(&format!("  < {}\n", visible(&first_line(said))));
    }
    for change in changes.iter().filter(|change| change.turn == turn.index) {
        let checked = match change.checked {
            Some(true) => ", checked",
            Some(false) => ", red",
            None => "",
        };
        let line = format!("  change {} {}{checked}", change.change_id, change.state.name());
        text.push_str(&format!("{}\n", visible(&line)));
    }
    text
}

fn status(status: TurnStatus) -> String {
    status.name().replace('_', " ")
}

/// Says how many tasks are done: `1/3`.
pub(in crate::commands) fn progress(todos: &[TodoItem]) -> String {
    let done = todos.iter().filter(|todo| todo.completed).count();
    format!("{done}/{}", todos.len())
}

/// Lists tasks.
pub(in crate::commands) fn tasks(todos: &[TodoItem]) -> String {
    let line = |todo: &TodoItem| {
        let mark = if todo.completed { "[x]" } else { "[ ]" };
        // What a model says proves nothing.
        let claimed = if todo.claimed && !todo.completed { "  (said to be done)" } else { "" };
        format!("  {mark} {}{claimed}\n", visible(&first_line(&todo.text)))
    };
    todos.iter().map(line).collect()
}

/// Tells what happened.
pub(super) fn events(events: &[SessionEvent]) -> String {
    let line = |event: &SessionEvent| {
        let turn = event.turn.map_or(String::new(), |turn| format!("  turn {turn}"));
        let rest: String = event.payload.to_string().chars().take(2 * SHOWN).collect();
        format!("{}  {}{turn}  {}  {}\n", event.id, event.at, visible(&event.name), visible(&rest))
    };
    events.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_dated_but_not_in_what_others_said() {
        let value = json!({ "at": 0, "turns": [{ "created_at": 1, "attempt": 1 }], "payload": { "at": 5 } });
        let dated = dated(value);
        assert_eq!(dated["at"], "1970-01-01T00:00:00.000Z");
        assert_eq!(dated["turns"][0]["created_at"], "1970-01-01T00:00:00.001Z");
        assert_eq!(
            (&dated["turns"][0]["attempt"], &dated["payload"]["at"]),
            (&json!(1), &json!(5))
        );
    }

    #[test]
    fn a_long_line_is_cut_with_a_mark() {
        assert_eq!(first_line("\n  one\ntwo"), "one");
        let cut = first_line(&"é".repeat(100));
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (SHOWN, true));
    }
}
