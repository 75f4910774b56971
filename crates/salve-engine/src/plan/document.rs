//! Sub-tasks as documents: both spellings are read, one is written.
//!
//! In: JSON of a person, a program or a model. Out: a [`SubTaskPlan`], or the place at which it is none. Never fills
//! in what a document gets wrong: a wrong kind of value is an error that names its place.

use super::Granularity;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The longest instruction, in bytes.
const LONGEST_INSTRUCTION: usize = 64 << 10;
/// The most entries of a list in a document.
const MOST_ENTRIES: usize = 500;
/// The priority of a task whose document gives none.
const USUAL_PRIORITY: i64 = 100;

/// One part of a bigger task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubTask {
    /// Its name, different from all others of the plan.
    pub id: String,
    /// What is to be done.
    pub instruction: String,
    /// The files it is shown, relative to the workspace.
    pub context_files: Vec<String>,
    /// The files it may change beside new ones; those that it is shown when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// What it must keep to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// The tasks it waits for.
    pub depends_on: Vec<String>,
    /// Of the tasks that are ready, the lowest number goes first.
    pub priority: i64,
    /// How hard it is; decides the model where none is named.
    #[serde(default)]
    pub difficulty: Difficulty,
    /// The model, by its role or as `provider/model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// How hard a sub-task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// For a small model.
    Simple,
    /// For the usual one.
    #[default]
    Medium,
    /// For a large model.
    Complex,
    /// Looks at what others did: a large model, with instructions of its own.
    Review,
}

/// In which order sub-tasks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutionOrder {
    /// One after the other.
    Sequential,
    /// All at once, whatever depends on what.
    Parallel,
    /// Each as soon as those it depends on are done.
    #[default]
    DependencyGraph,
}

/// The state of a sub-task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SubTaskStatus {
    /// It waits for others.
    Waiting,
    /// It is ready, and waits for room.
    Pending,
    /// It runs.
    Running,
    /// It has a result.
    Completed,
    /// It has none, and a person is asked.
    Failed,
    /// Its result overlaps with that of another.
    Conflict,
    /// What it waits for has no result.
    Blocked,
    /// It was left out.
    Cancelled,
}

/// A task split into parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubTaskPlan {
    /// What was asked for.
    pub request: String,
    /// The parts, in the order of the plan.
    pub tasks: Vec<SubTask>,
    /// The order in which they run.
    #[serde(default)]
    pub execution_order: ExecutionOrder,
    /// How finely it was split.
    #[serde(default)]
    pub granularity: Granularity,
}

/// Why a document is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct DocumentError {
    /// Where in the document.
    pub place: String,
    /// What is wrong there, and what to do.
    pub problem: String,
}

impl ExecutionOrder {
    /// Lists them in the order in which a person is shown them.
    pub const ALL: [Self; 3] = [Self::DependencyGraph, Self::Sequential, Self::Parallel];

    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Parallel => "parallel",
            Self::DependencyGraph => "dependency-graph",
        }
    }

    /// Returns the order of this word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.name() == name)
    }
}

impl Difficulty {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "simple" => Self::Simple,
            "medium" => Self::Medium,
            "complex" => Self::Complex,
            "review" => Self::Review,
            _ => return None,
        })
    }
}

impl SubTaskStatus {
    /// Returns the word of it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Conflict => "conflict",
            Self::Blocked => "blocked",
            Self::Cancelled => "cancelled",
        }
    }
}

impl SubTask {
    /// Returns the files that no other task changes while this one works.
    pub fn leases(&self) -> &[String] {
        if self.writes.is_empty() { &self.context_files } else { &self.writes }
    }

    /// Returns whether the task may change a file that exists.
    pub fn may_write(&self, path: &str) -> bool {
        self.writes.iter().chain(&self.context_files).any(|one| one == path)
    }
}

/// Writes a sub-task as a document of its own, with what became of it.
pub fn sub_task_document(task: &SubTask, session: Option<&str>, state: &Value) -> Value {
    json!({
        "docType": "subtask",
        "parentSessionId": session,
        "subtaskId": task.id,
        "status": state.get("status").cloned().unwrap_or_else(|| json!("pending")),
        "priority": task.priority,
        "dependencies": task.depends_on,
        "input": {
            "instruction": task.instruction,
            "contextFiles": task.context_files,
            "constraints": task.constraints,
        },
        "output": {
            "fileChanges": state.get("files").cloned().unwrap_or_else(|| json!([])),
            "summary": state.get("summary").cloned().unwrap_or(Value::Null),
            "tokensUsed": state.get("tokens").cloned().unwrap_or_else(|| json!(0)),
        },
        "model": task.model,
        "createdAt": state.get("createdAt").cloned().unwrap_or(Value::Null),
        "completedAt": state.get("completedAt").cloned().unwrap_or(Value::Null),
    })
}

/// Reads a plan: an object with `tasks`, or a list of sub-tasks, each in either spelling.
///
/// # Errors
/// The first place that is wrong.
pub fn read_plan_document(value: &Value, request: &str) -> Result<SubTaskPlan, DocumentError> {
    let (tasks, place, fields) = match value {
        Value::Array(tasks) => (tasks, "the list", None),
        Value::Object(fields) => match fields.get("tasks") {
            Some(Value::Array(tasks)) => (tasks, "tasks", Some(fields)),
            Some(_) => return wrong("tasks", "must be a list of sub-tasks"),
            None => return wrong("the document", "has no `tasks`: give a list of sub-tasks"),
        },
        _ => return wrong("the document", "is neither an object with `tasks` nor a list"),
    };
    if tasks.is_empty() || tasks.len() > MOST_ENTRIES {
        return wrong(
            place,
            &format!("has {} sub-tasks; 1 to {MOST_ENTRIES} can be run", tasks.len()),
        );
    }
    let read =
        tasks.iter().enumerate().map(|(at, task)| read_task(task, &format!("{place}[{at}]"), at));
    let tasks = read.collect::<Result<Vec<_>, _>>()?;
    let word = |name: &str| fields.and_then(|fields| fields.get(name));
    let request = match word("request") {
        Some(text) => text_of(text, "request")?,
        None => request.to_owned(),
    };
    let execution_order = match word("executionOrder") {
        None => ExecutionOrder::default(),
        Some(word) => {
            let known = word.as_str().and_then(ExecutionOrder::from_name);
            let known = known.ok_or_else(|| {
                one_of("executionOrder", &ExecutionOrder::ALL.map(ExecutionOrder::name))
            });
            known?
        }
    };
    let granularity = match word("granularity") {
        None => Granularity::default(),
        Some(word) => {
            let known = word.as_str().and_then(Granularity::from_name);
            known.ok_or_else(|| one_of("granularity", &Granularity::ALL.map(Granularity::name)))?
        }
    };
    Ok(SubTaskPlan { request, tasks, execution_order, granularity })
}

// `subtaskId`, `input.instruction`, `dependencies` of one spelling; `id`, `instruction`, `dependsOn` of the other.
fn read_task(value: &Value, place: &str, at: usize) -> Result<SubTask, DocumentError> {
    let Value::Object(fields) = value else { return wrong(place, "must be an object") };
    let nested = match fields.get("input") {
        None => None,
        Some(Value::Object(input)) => Some(input),
        Some(_) => return wrong(&format!("{place}.input"), "must be an object"),
    };
    let find = |names: &[&str]| {
        let own = names.iter().find_map(|name| Some(((*name).to_owned(), fields.get(*name)?)));
        own.or_else(|| {
            let input = nested?;
            names.iter().find_map(|name| Some((format!("input.{name}"), input.get(*name)?)))
        })
    };
    let id = match find(&["id", "subtaskId"]) {
        // A number names a task as well as a word.
        Some((_, Value::Number(number))) => number.to_string(),
        Some((name, text)) => text_of(text, &format!("{place}.{name}"))?,
        None => (at + 1).to_string(),
    };
    let instruction = match find(&["instruction", "title", "description"]) {
        Some((name, text)) => text_of(text, &format!("{place}.{name}"))?,
        None => return wrong(place, "has no `instruction`: say what is to be done"),
    };
    let list = |names: &[&str]| match find(names) {
        Some((name, list)) => texts_of(list, &format!("{place}.{name}")),
        None => Ok(Vec::new()),
    };
    let priority = match find(&["priority"]) {
        None | Some((_, Value::Null)) => USUAL_PRIORITY,
        Some((_, number)) => match number.as_i64() {
            Some(number) => number,
            None => {
                return wrong(&format!("{place}.priority"), "must be a whole number; 1 goes first");
            }
        },
    };
    let difficulty = match find(&["difficulty"]) {
        None | Some((_, Value::Null)) => Difficulty::default(),
        Some((_, word)) => word.as_str().and_then(Difficulty::from_name).ok_or_else(|| {
            one_of(&format!("{place}.difficulty"), &["simple", "medium", "complex", "review"])
        })?,
    };
    let model = match find(&["model"]) {
        None | Some((_, Value::Null)) => None,
        Some((name, text)) => Some(text_of(text, &format!("{place}.{name}"))?),
    };
    let paths = |list: Vec<String>| {
        list.iter().map(|path| path.trim_start_matches("./").to_owned()).collect()
    };
    Ok(SubTask {
        id,
        instruction,
        context_files: paths(list(&["contextFiles", "context_files", "files"])?),
        writes: paths(list(&["writes"])?),
        constraints: list(&["constraints"])?,
        depends_on: numbers_too(find(&["dependsOn", "dependencies", "depends_on"]), place)?,
        priority,
        difficulty,
        model,
    })
}

// A task may be named by a number in the list of those that another waits for.
fn numbers_too(found: Option<(String, &Value)>, place: &str) -> Result<Vec<String>, DocumentError> {
    let Some((name, list)) = found else { return Ok(Vec::new()) };
    let place = format!("{place}.{name}");
    let Value::Array(items) = list else { return wrong(&place, "must be a list of ids") };
    let mut ids: Vec<String> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let id = match item {
            Value::Number(number) => number.to_string(),
            other => text_of(other, &format!("{place}[{at}]"))?,
        };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn texts_of(value: &Value, place: &str) -> Result<Vec<String>, DocumentError> {
    let Value::Array(items) = value else { return wrong(place, "must be a list of texts") };
    if items.len() > MOST_ENTRIES {
        return wrong(place, &format!("has {} entries; {MOST_ENTRIES} is the most", items.len()));
    }
    items.iter().enumerate().map(|(at, item)| text_of(item, &format!("{place}[{at}]"))).collect()
}

fn text_of(value: &Value, place: &str) -> Result<String, DocumentError> {
    match value.as_str().map(str::trim) {
        Some("") => wrong(place, "is empty"),
        Some(text) if text.len() > LONGEST_INSTRUCTION => {
            wrong(place, &format!("is longer than {LONGEST_INSTRUCTION} bytes"))
        }
        Some(text) => Ok(text.to_owned()),
        None => wrong(place, "must be a text"),
    }
}

fn one_of(place: &str, words: &[&str]) -> DocumentError {
    DocumentError {
        place: place.to_owned(),
        problem: format!("must be one of {}", words.join(", ")),
    }
}

fn wrong<T>(place: &str, problem: &str) -> Result<T, DocumentError> {
    Err(DocumentError { place: place.to_owned(), problem: problem.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c223_both_spellings_give_the_same_task() {
        let document = json!([{
            "docType": "subtask", "parentSessionId": "s", "subtaskId": "4", "status": "pending", "priority": 2,
            "dependencies": ["1", 2], "model": "grok-4",
            "input": {"instruction": "Add it", "contextFiles": ["./a.py"], "constraints": ["no new files"]},
        }]);
        let sketch = json!({"tasks": [{
            "id": 4, "instruction": "Add it", "contextFiles": ["a.py"], "constraints": ["no new files"],
            "model": "grok-4", "dependsOn": [1, "2"], "priority": 2,
        }]});
        let read = |value: &Value| read_plan_document(value, "ask").unwrap();
        assert_eq!(read(&document), read(&sketch));
        let task = &read(&sketch).tasks[0];
        assert_eq!(task.depends_on, ["1", "2"]);
        assert_eq!(
            (task.context_files.as_slice(), task.model.as_deref()),
            (&["a.py".to_owned()][..], Some("grok-4"))
        );
    }

    #[test]
    fn c201_what_is_written_is_read_back() {
        let value = json!([{"id": "a", "instruction": "x", "contextFiles": ["f"], "dependsOn": [], "priority": 1}]);
        let plan = read_plan_document(&value, "r").unwrap();
        let written = sub_task_document(
            &plan.tasks[0],
            Some("s"),
            &json!({"status": "completed", "tokens": 7}),
        );
        assert_eq!(written["docType"], "subtask");
        assert_eq!(
            (&written["status"], &written["output"]["tokensUsed"]),
            (&json!("completed"), &json!(7))
        );
        assert_eq!(read_plan_document(&json!([written]), "r").unwrap(), plan);
        let whole = serde_json::to_value(&plan).unwrap();
        assert_eq!(read_plan_document(&whole, "").unwrap(), plan);
    }

    #[test]
    fn c201_a_document_that_is_wrong_names_the_place() {
        for (value, said) in [
            (json!(7), "the document: is neither"),
            (json!({}), "the document: has no `tasks`"),
            (json!([]), "the list: has 0 sub-tasks"),
            (json!([7]), "the list[0]: must be an object"),
            (json!([{"id": "a"}]), "the list[0]: has no `instruction`"),
            (json!({"tasks": [{"instruction": ""}]}), "tasks[0].instruction: is empty"),
            (
                json!([{"input": {"instruction": 1}}]),
                "the list[0].input.instruction: must be a text",
            ),
            (
                json!([{"instruction": "x", "priority": "high"}]),
                "the list[0].priority: must be a whole",
            ),
            (
                json!([{"instruction": "x", "contextFiles": "a"}]),
                "the list[0].contextFiles: must be a list",
            ),
            (
                json!([{"instruction": "x", "dependsOn": [[]]}]),
                "the list[0].dependsOn[0]: must be a text",
            ),
            (
                json!([{"instruction": "x", "difficulty": "odd"}]),
                "the list[0].difficulty: must be one of",
            ),
            (
                json!({"tasks": [{"instruction": "x"}], "executionOrder": "fast"}),
                "executionOrder: must be one of",
            ),
        ] {
            let error = read_plan_document(&value, "").unwrap_err().to_string();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
