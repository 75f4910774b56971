//! A turn as it is shown: its record and its events, folded.
//!
//! In: what the store has of a turn, what waits in it, the differences of its changes. Out: plain data for the view.
//! The same facts give the same turn, whether it is drawn anew or brought up to date. Never reads anything, and never
//! decides by the words of a message.

mod uploads;

use crate::workbench::view::chat::{
    Banner, CommandState, CommandView, DoneLine, FileChangeKind, FileState, FileView, HunkView,
    TurnView,
};
use crate::workbench::view::diff::{DiffHunk, DiffLine, LineTag, hunks_of_diff};
use crate::workbench::view::live::goes_on;
use salve_engine::session::{ChatAnswer, EventName, OutOfRange, SuggestedStep};
use salve_store::TurnRecord;
use salve_types::{SessionEvent, TurnStatus};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is known about a turn.
pub(in crate::workbench) struct TurnFacts<'a> {
    /// Its record.
    pub(in crate::workbench) record: &'a TurnRecord,
    /// Its events, oldest first.
    pub(in crate::workbench) events: &'a [SessionEvent],
    /// What a decision about it names, where something waits.
    pub(in crate::workbench) approval: Option<String>,
    /// The differences that its changes made, by the id of the change and the path.
    pub(in crate::workbench) diffs: &'a BTreeMap<(String, String), Vec<DiffHunk>>,
    /// The changes that were taken back.
    pub(in crate::workbench) reverted: &'a BTreeSet<String>,
}

/// Folds a turn.
pub(in crate::workbench) fn turn_view(facts: &TurnFacts<'_>) -> TurnView {
    let record = facts.record;
    let mut fold = Fold {
        facts,
        view: TurnView::default(),
        last: None,
        kept: None,
        steps: Vec::new(),
        review: Vec::new(),
    };
    fold.view = TurnView {
        number: record.index,
        request: record.text.clone(),
        images: record.images.len(),
        at: record.created_at.0,
        status: record.status,
        tokens: record.tokens_in + record.tokens_out,
        micro_dollars: record.micro_dollars,
        model: record.model.clone(),
        rewound: record.rewound,
        approval: facts.approval.clone(),
        session: record.session.to_string(),
        ..TurnView::default()
    };
    for event in attempt_of(record, facts.events) {
        fold.take(event);
    }
    fold.finish()
}

// While a turn runs again, what its earlier attempt came to is not shown.
fn attempt_of<'a>(record: &TurnRecord, events: &'a [SessionEvent]) -> &'a [SessionEvent] {
    if !matches!(record.status, TurnStatus::Pending | TurnStatus::Running) {
        return events;
    }
    let ends = [EventName::TurnFailed, EventName::TurnCancelled, EventName::RequestComplete];
    // A turn that only stopped for a person goes on as it was.
    let is_end = |event: &SessionEvent| {
        event.payload["status"] != TurnStatus::Waiting.name()
            && ends.iter().any(|end| end.name() == event.name)
    };
    let begin = events.iter().rposition(is_end).map_or(0, |at| at + 1);
    events.get(begin..).unwrap_or_default()
}

struct Fold<'a> {
    facts: &'a TurnFacts<'a>,
    view: TurnView,
    /// The reply that arrives, and what came of it.
    last: Option<(String, String)>,
    /// What had come of one that broke off.
    kept: Option<String>,
    /// The next steps, as the turn completed with them.
    steps: Vec<SuggestedStep>,
    /// What was decided so far about edits that wait.
    review: Vec<Value>,
}

impl Fold<'_> {
    fn take(&mut self, event: &SessionEvent) {
        let Some(name) = EventName::from_name(&event.name) else { return };
        let payload = &event.payload;
        if matches!(name, EventName::TurnFailed | EventName::TurnCancelled) {
            self.kept = self.last.take().map(|(_, arrived)| arrived);
        }
        if name != EventName::UpdateResponseChunk {
            self.last = None;
        }
        match name {
            EventName::Planning | EventName::Searching | EventName::ImagesStarted => {
                self.view.progress.push(text(payload, "text"));
            }
            EventName::FilesLoaded => {
                self.view.progress.push(text(payload, "text"));
                self.view.loaded = texts(payload, "files");
                self.view.not_found = texts(payload, "failed");
            }
            EventName::ImagesSaved => self.view.saved_images = texts(payload, "files"),
            EventName::FilesUploaded => self.view.uploads = Some(uploads::uploads_view(payload)),
            EventName::UpdateResponseChunk => self.chunk(payload),
            EventName::EditsHeld => self.held(payload),
            EventName::ReviewChanged => self.reviewed(payload),
            EventName::EditsApplied => self.applied(payload),
            EventName::EditsBlocked => self.blocked(payload),
            EventName::RecoveryBanner => self.banner(payload),
            EventName::CheckFinished => self.checked(payload),
            EventName::HealFinished => self.healed(payload),
            EventName::CommandSuggested => self.suggested(payload),
            EventName::CommandFinished => self.command(payload),
            EventName::CliProgress => self.note(None, &text(payload, "text")),
            EventName::BugFiled => self.note(None, &text(payload, "description")),
            EventName::RequestComplete | EventName::TurnFailed | EventName::TurnCancelled => {
                self.view.why = payload["why"].as_str().map(str::to_owned);
                // A step that was missing is added when a turn completes.
                let steps = payload["structured"]["nextSteps"].clone();
                self.steps = serde_json::from_value(steps).unwrap_or_default();
                // What could be read was accepted as it is shown.
                if payload["accepted"] == true {
                    self.view.banner = None;
                }
            }
            _ => {}
        }
    }

    fn chunk(&mut self, payload: &Value) {
        let reply = text(payload, "reply");
        match &mut self.last {
            Some((known, arrived)) if *known == reply || goes_on(&text(payload, "text")) => {
                *known = reply;
                arrived.push_str(&text(payload, "text"));
            }
            last => *last = Some((reply, text(payload, "text"))),
        }
    }

    fn held(&mut self, payload: &Value) {
        self.view.files.retain(|file| file.state == FileState::Applied);
        for hunk in payload["hunks"].as_array().into_iter().flatten() {
            let path = text(hunk, "path");
            let at = self.place_of(&path, FileState::Waiting);
            let Some(file) = self.view.files.get_mut(at) else { continue };
            file.kind = match hunk["kind"].as_str() {
                Some("create") => FileChangeKind::Create,
                Some("delete") => FileChangeKind::Delete,
                _ => FileChangeKind::Update,
            };
            let shown = held_hunk(hunk);
            let (added, removed) = shown.stats();
            (file.added, file.removed) = (file.added + added, file.removed + removed);
            let decision = hunk["decision"].as_bool();
            file.hunks.push(HunkView { hunk: shown, id: text(hunk, "id"), decision });
            if hunk["cut"] == true {
                file.note = Some("Only a part of this change is shown.".to_owned());
            }
        }
        for path in texts(payload, "files") {
            self.place_of(&path, FileState::Waiting);
        }
        // What was said about them before still holds.
        for step in std::mem::take(&mut self.review) {
            self.reviewed(&step);
        }
    }

    // A decision about a file is one about each of its hunks that has none yet; to reject it is to reject them all.
    fn reviewed(&mut self, payload: &Value) {
        if payload["approval"].as_str() != self.facts.approval.as_deref() {
            return;
        }
        self.review.push(payload.clone());
        let step = &payload["step"];
        let (path, hunk) = (step["path"].as_str(), step["hunk"].as_str());
        let keep = step["keep"].as_bool();
        let is_meant = |file: &&mut FileView| path.is_none_or(|path| file.path == path);
        for file in self.view.files.iter_mut().filter(is_meant) {
            for one in &mut file.hunks {
                let is_named = hunk.is_some_and(|hunk| one.id == hunk);
                // What is kept leaves what was rejected; what is rejected or opened again is all of it.
                let is_open = hunk.is_none() && (one.decision.is_none() || keep != Some(true));
                if is_named || is_open {
                    one.decision = keep;
                }
            }
        }
    }

    // The place of a file in a state; it is added where it is not there.
    fn place_of(&mut self, path: &str, state: FileState) -> usize {
        let files = &mut self.view.files;
        let found = files.iter().position(|file| file.path == path && file.state == state);
        found.unwrap_or_else(|| {
            let approval = self.facts.approval.clone();
            files.push(FileView { path: path.to_owned(), state, approval, ..FileView::default() });
            files.len() - 1
        })
    }

    fn applied(&mut self, payload: &Value) {
        let change = text(payload, "change");
        let files: Vec<&Value> = payload["files"].as_array().into_iter().flatten().collect();
        let is_reverted = self.facts.reverted.contains(&change);
        let state = if is_reverted { FileState::Reverted } else { FileState::Applied };
        let mut told = Vec::new();
        for file in &files {
            let path = text(file, "path");
            let (added, removed) = (count(file, "added"), count(file, "removed"));
            told.push(format!("{path} +{added} -{removed}"));
            self.view.files.retain(|known| known.path != path);
            let diff = self.facts.diffs.get(&(change.clone(), path.clone()));
            let hunks = diff.cloned().unwrap_or_default().into_iter();
            let is_new = file["isNewFile"] == true;
            self.view.files.push(FileView {
                path,
                state,
                kind: if is_new { FileChangeKind::Create } else { FileChangeKind::Update },
                added,
                removed,
                hunks: hunks.map(|hunk| HunkView { hunk, ..HunkView::default() }).collect(),
                ..FileView::default()
            });
        }
        let files =
            if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) };
        self.done(Some(true), format!("Applied {files}"), told);
        if is_reverted {
            self.note(None, "Taken back");
        }
    }

    fn blocked(&mut self, payload: &Value) {
        if payload["code"] == "declined" {
            for file in self.view.files.iter_mut().filter(|file| file.state == FileState::Waiting) {
                file.state = FileState::Rejected;
            }
            let words = match count(payload, "written") {
                0 => "The changes were rejected; nothing was written",
                _ => "The other changes were rejected",
            };
            return self.note(None, words);
        }
        let (message, detail) = (text(payload, "message"), text(payload, "detail"));
        for path in texts(payload, "files") {
            let at = self.place_of(&path, FileState::Blocked);
            if let Some(file) = self.view.files.get_mut(at) {
                file.note = Some(detail.clone());
            }
        }
        self.done(Some(false), format!("Blocked: {message}"), vec![detail]);
    }

    fn banner(&mut self, payload: &Value) {
        let words = |name: &str| payload[name].as_str().map(str::to_owned);
        let (recovered, blocked) = (words("banner"), words("blocked"));
        if recovered.is_some() || blocked.is_some() {
            let can_continue = recovered.is_some();
            self.view.banner = Some(Banner { recovered, blocked, can_continue });
        }
    }

    fn checked(&mut self, payload: &Value) {
        let ran = texts(payload, "ran").join(", ");
        let (good, words) = match payload["verdict"].as_str() {
            Some("green") => (Some(true), format!("Check: green ({ran})")),
            Some("red") => (Some(false), format!("Check: red ({ran})")),
            Some("nothing") => (None, "Check: nothing here can be checked".to_owned()),
            _ => (None, "Check: not run".to_owned()),
        };
        self.done(good, words, texts(payload, "findings"));
    }

    fn healed(&mut self, payload: &Value) {
        let good = payload["green"] == true;
        let words = match payload["error"].as_str() {
            Some(error) => format!("Heal: {error}"),
            None => format!("Heal: {}", text(payload, "outcome")),
        };
        self.done(Some(good), words, texts(payload, "story"));
    }

    fn suggested(&mut self, payload: &Value) {
        let optional = |name: &str| payload[name].as_str().map(str::to_owned);
        self.view.commands.push(CommandView {
            number: number(payload),
            command: text(payload, "command"),
            description: optional("description"),
            cwd: optional("cwd"),
            ..CommandView::default()
        });
    }

    fn command(&mut self, payload: &Value) {
        let line = text(payload, "command");
        let open = |one: &CommandView| one.command == line && one.state.is_open();
        let at = self.view.commands.iter().position(open).unwrap_or_else(|| {
            let command = line.clone();
            let number = number(payload);
            self.view.commands.push(CommandView { number, command, ..CommandView::default() });
            self.view.commands.len() - 1
        });
        let Some(command) = self.view.commands.get_mut(at) else { return };
        command.why = payload["why"].as_str().map(str::to_owned);
        command.state = match (payload["state"].as_str(), payload["ok"].as_bool()) {
            (Some("ran"), Some(true)) => CommandState::Succeeded,
            (Some("ran"), _) => CommandState::Failed,
            (Some("waiting"), _) => CommandState::Asked,
            (Some("skipped"), _) => CommandState::Skipped,
            _ => CommandState::Denied,
        };
        command.exit = payload["exit"].as_i64();
        command.duration_ms = payload["durationMs"].as_u64();
        command.output = text(payload, "output");
    }

    fn note(&mut self, good: Option<bool>, words: &str) {
        if !words.trim().is_empty() {
            let mut lines = words.lines().map(str::to_owned);
            let first = lines.next().unwrap_or_default();
            self.done(good, first, lines.collect());
        }
    }

    fn done(&mut self, good: Option<bool>, words: String, details: Vec<String>) {
        self.view.done.push(DoneLine { good, words, details });
    }

    fn finish(mut self) -> TurnView {
        let record = self.facts.record;
        let is_running = self.view.is_running();
        let arrives = self.last.take().map(|(_, arrived)| arrived).filter(|_| is_running);
        let has_ended = matches!(record.status, TurnStatus::Failed | TurnStatus::Cancelled);
        self.view.arrived = arrives.or(self.kept.take().filter(|_| has_ended));
        if self.view.arrived.is_none() {
            let result = record.result.clone().filter(|_| {
                !self.view.is_running() || !self.view.done.is_empty() || !self.view.files.is_empty()
            });
            self.view.answer = result.and_then(|result| serde_json::from_value(result).ok());
        }
        if let Some(answer) = self.view.answer.clone() {
            self.of_answer(&answer);
        }
        let shows_banner =
            matches!(record.status, TurnStatus::CompletedPartial | TurnStatus::NeedsAttention);
        if !shows_banner {
            self.view.banner = None;
        }
        self.view.can_rewind = !is_running;
        if record.status.is_terminal() {
            self.close();
        }
        if !is_running {
            self.summed_up();
        }
        self.view
    }

    fn of_answer(&mut self, answer: &ChatAnswer) {
        let steps = if self.steps.is_empty() { &answer.next_steps } else { &self.steps };
        self.view.steps.clone_from(steps);
        let count = answer.todos.len();
        for link in answer.todo_links() {
            let is_known = usize::try_from(link.todo_index).is_ok_and(|index| index < count);
            if count > 0 && !is_known {
                let why = OutOfRange { index: link.todo_index, count };
                self.note(None, &format!("⚠️ {}: {why}", link.path));
            }
        }
        if answer.recovered {
            let shown = answer.file_changes.iter().filter_map(shown_only);
            self.view.files.extend(shown);
        }
        if answer.recovered && self.view.commands.is_empty() {
            let why = Some("Shown only: the answer is not whole".to_owned());
            let shown = answer.commands.iter().enumerate().map(|(at, command)| CommandView {
                number: u32::try_from(at).unwrap_or(u32::MAX),
                command: command.command.clone(),
                description: command.description.clone(),
                cwd: command.cwd.clone(),
                state: CommandState::Skipped,
                why: why.clone(),
                ..CommandView::default()
            });
            self.view.commands.extend(shown);
        }
        let untouched = self.view.files.is_empty() && !answer.file_changes.is_empty();
        if untouched && self.view.status == TurnStatus::Completed {
            self.note(None, "No changes needed: the files are as the answer wants them");
        }
    }

    // What waits no more was left.
    fn close(&mut self) {
        for file in self.view.files.iter_mut().filter(|file| file.state == FileState::Waiting) {
            file.state = FileState::Rejected;
        }
        for command in self.view.commands.iter_mut().filter(|command| command.state.is_open()) {
            command.state = CommandState::Skipped;
        }
    }

    // There is always something to say about a turn that is over.
    fn summed_up(&mut self) {
        let read = self.view.loaded.len();
        let words = if read == 1 { "Read 1 file".to_owned() } else { format!("Read {read} files") };
        if read > 0 {
            self.view.done.insert(0, DoneLine { good: Some(true), words, details: Vec::new() });
        }
        let waiting = self.view.files_in(FileState::Waiting);
        let commands = self.view.open_commands();
        for (count, what) in [(waiting, "change"), (commands, "command")] {
            match count {
                0 => {}
                1 => self.note(None, &format!("1 {what} waits for you")),
                count => self.note(None, &format!("{count} {what}s wait for you")),
            }
        }
        let drew =
            self.view.answer.as_ref().is_some_and(|answer| !answer.generated_images.is_empty());
        if self.view.done.is_empty() && self.view.answer.is_some() && !drew {
            self.note(Some(true), "Answered; no file was changed");
        }
    }
}

// A hunk as the log has it: each line behind its sign.
fn held_hunk(hunk: &Value) -> DiffHunk {
    let lines = text(hunk, "text");
    let line = |line: &str| {
        let (tag, rest) = match line.chars().next() {
            Some('+') => (LineTag::Added, line.get(1..)),
            Some('-') => (LineTag::Removed, line.get(1..)),
            _ => (LineTag::Same, line.get(1..)),
        };
        DiffLine { tag, text: rest.unwrap_or_default().to_owned() }
    };
    DiffHunk {
        old_first: count(hunk, "oldFirstLine"),
        new_first: count(hunk, "newFirstLine"),
        lines: lines.lines().map(line).collect(),
    }
}

// A change of an answer that is not whole.
fn shown_only(change: &Value) -> Option<FileView> {
    let path = change["path"].as_str()?.to_owned();
    let content = text(change, "content");
    let hunks = if change["isDiff"] == true {
        hunks_of_diff(&content)
    } else {
        let line = |text: &str| DiffLine { tag: LineTag::Added, text: text.to_owned() };
        let lines: Vec<DiffLine> = content.lines().map(line).collect();
        if lines.is_empty() {
            Vec::new()
        } else {
            vec![DiffHunk { old_first: 0, new_first: 1, lines }]
        }
    };
    let stats = hunks.iter().map(DiffHunk::stats);
    let (added, removed) = stats.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let hunks = hunks.into_iter().map(|hunk| HunkView { hunk, ..HunkView::default() }).collect();
    Some(FileView { path, state: FileState::Shown, added, removed, hunks, ..FileView::default() })
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value, name: &str) -> Vec<String> {
    let items = value[name].as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn count(value: &Value, name: &str) -> usize {
    value[name].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}

fn number(value: &Value) -> u32 {
    value["number"].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
