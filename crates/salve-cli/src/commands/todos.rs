//! `salve todos`: the tasks of a session.
//!
//! In: a session, the newest of this workspace where none is named. Out: the list with how many are done. Never
//! marks one: a change that was applied and checked does.

use crate::arguments::{Format, TodosArguments};
use crate::commands::sessions::{find, looked, progress, tasks};
use crate::failure::{CommandResult, Ending};
use crate::output;
use salve_types::TodoItem;
use serde_json::json;

/// Runs `salve todos`.
pub(crate) fn run(arguments: &TodosArguments, format: Format) -> CommandResult {
    let (session, all) = looked(&arguments.store, async |store| {
        let session = find(store, &arguments.place, arguments.id.as_deref()).await?;
        let todos = store.todos(&session.id).await?;
        Ok((session, todos))
    })?;
    let wanted = |todo: &&TodoItem| !(arguments.open && todo.completed);
    let shown: Vec<TodoItem> = all.iter().filter(wanted).cloned().collect();
    match format {
        Format::Human if all.is_empty() => output::result("no tasks\n")?,
        Format::Human => output::result(&format!("{}\n{}", progress(&all), tasks(&shown)))?,
        Format::Jsonl => output::values(format, &shown)?,
        Format::Json => output::json(&json!({
            "session": session.id,
            "done": all.iter().filter(|todo| todo.completed).count(),
            "total": all.len(),
            "todos": shown,
        }))?,
    }
    Ok(Ending::Clean)
}
