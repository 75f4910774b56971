//! The tasks of a session, with how many are done.
//!
//! In: tasks. Out: a list with its count. Never ticks a task because a model says so: a claim has its own sign.

use maud::{Markup, html};
use salve_engine::session::TodoProgress;
use salve_types::TodoItem;

/// Draws the tasks.
pub fn todo_list(todos: &[TodoItem]) -> Markup {
    let progress = TodoProgress::of(todos);
    html! {
        section #todos.todos aria-labelledby="todos-title" tabindex="0" {
            header {
                h2 #todos-title { "TODOs" }
                @if !todos.is_empty() { span.count { (progress) } }
            }
            @if todos.is_empty() {
                p.dim { "The steps of a task are listed here. Each is ticked when its change was applied and its check passed." }
            } @else {
                progress max=(progress.total) value=(progress.done) aria-label="Tasks done" {}
                ul aria-label="TODOs" {
                    @for todo in todos { (item(todo)) }
                }
            }
        }
    }
}

fn item(todo: &TodoItem) -> Markup {
    let (class, sign, words) = match (todo.completed, todo.claimed) {
        (true, _) => ("todo done", "✓", "done"),
        (false, true) => ("todo claimed", "~", "said to be done"),
        (false, false) => ("todo", "", "open"),
    };
    html! {
        li class=(class) {
            span.tick role="img" aria-label=(words) { (sign) }
            span { (todo.text) }
        }
    }
}
