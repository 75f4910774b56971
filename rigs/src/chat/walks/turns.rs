//! The turns of a walk: asked for, answered in many ways, decided about.
//!
//! In: a talk of the walk. Out: what was believed to happen, noted. Never more than one change in a turn.

use super::belief::{Contents, Turn};
use super::desk::{BROKEN, Says, Stopped};
use super::{Known, Walk};
use anyhow::{Result, ensure};
use salve_engine::session::{TurnDecision, TurnInput, TurnResume};
use salve_store::NewTurn;
use salve_types::{FileOpKind, TurnStatus};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A command that makes a file.
const TOUCH: &str = "touch more.txt";

/// An answer of the model.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    text: String,
    after: Contents,
    /// All tasks that it lists, and those its changes are for.
    listed: Vec<String>,
    tasks: BTreeSet<String>,
}

/// A turn that waits for a word about its edits.
pub(super) struct Held {
    pub(super) talk: usize,
    /// Which turn of it, from 0.
    pub(super) turn: usize,
    input: TurnInput,
    stopped: Stopped,
    answer: Answer,
}

impl Walk {
    /// A turn.
    pub(super) async fn turn(&mut self, talk: usize) -> Result<(&'static str, Known)> {
        let known = Known { talk: Some(talk), files: None };
        let answer = self.answer(talk);
        let names: Vec<&String> = answer.after.keys().collect();
        let request = format!("work on {names:?} now");
        let turn = self.belief.talks[talk].turns.len();
        let number = u32::try_from(turn + 1)?;
        let session = self.belief.talks[talk].session.clone();
        let new = NewTurn { text: request, images: Vec::new(), key: format!("turn {number}") };
        let record = self.desk.store().add_turn(&session, new).await?;
        ensure!(record.index == number, "turn {} is numbered {}", number, record.index);
        self.belief.talks[talk].turns.push(Turn::default());
        let style = self.random.below(20);
        self.did.push(format!(
            "turn {number} of {talk}, {style}: {:?} for {:?}",
            answer.after, answer.tasks
        ));
        let whole = || Says::Text(answer.text.clone());
        let input = self.input(talk, number, style < 15, 1)?;
        match style {
            0 => {
                self.mouth.set([Says::Text("It is fine as it is.".to_owned())]);
                let stopped = self.desk.turn(&input).await?;
                ensure!(stopped.report.changes.is_empty(), "{:?}", stopped.report);
                return Ok(("answers without a change", known));
            }
            1 | 2 => {
                let file = answer.after.keys().next().cloned().unwrap_or_default();
                let content = self.text(&file, "meanwhile");
                let path = self.root.join(&file);
                let text = answer.text.clone();
                self.mouth
                    .set([Says::Late { text, file: path, content: content.clone() }, whole()]);
                self.belief.files.insert(file, content);
                let stopped = self.desk.turn(&input).await?;
                self.ended(talk, turn, &answer, &stopped)?;
                ensure!(stopped.report.changes.len() == 1, "{:?}", stopped.report);
                return Ok(("stale edits asked for again", known));
            }
            3 | 4 => {
                let at = 20 + self.random.below(answer.text.len().saturating_sub(30));
                let (part, rest) = answer.text.split_at(at);
                self.mouth.set([
                    Says::Cut(part.to_owned()),
                    Says::Text(rest.to_owned()),
                    whole(),
                    whole(),
                ]);
                let stopped = self.desk.turn(&input).await?;
                self.ended(talk, turn, &answer, &stopped)?;
                return Ok(("cut answers continued", known));
            }
            5 => {
                let at = 20 + self.random.below(answer.text.len().saturating_sub(30));
                let part = answer.text.split_at(at).0;
                self.mouth.set(std::iter::repeat_n(Says::Cut(part.to_owned()), 20));
                let stopped = self.desk.turn(&input).await?;
                ensure!(stopped.report.changes.is_empty(), "{:?}", stopped.report);
                return Ok(("cut answers left", known));
            }
            6 => {
                self.mouth.set([Says::Refuses]);
                let stopped = self.desk.turn(&input).await?;
                ensure!(stopped.report.status == TurnStatus::Failed, "{:?}", stopped.report);
                self.mouth.set([whole()]);
                let again = self.input(talk, number, true, 2)?;
                let stopped = self.desk.turn(&again).await?;
                self.ended(talk, turn, &answer, &stopped)?;
                return Ok(("failed turns tried again", known));
            }
            7 | 8 => {
                let command = ["ls", "cat nothing.txt", TOUCH][self.random.below(3)];
                let mut with: Value = serde_json::from_str(&answer.text)?;
                with["commands"] = json!([{ "command": command }]);
                self.mouth.set([Says::Text(with.to_string())]);
                let stopped = self.desk.turn(&input).await?;
                self.ended(talk, turn, &answer, &stopped)?;
                let results = self.desk.store().command_results(&session).await?;
                let ran: Vec<_> = results.iter().filter(|one| one.turn == number).collect();
                ensure!(ran.len() <= 1, "{results:?}");
                let made = ran.iter().any(|one| one.exit == Some(0) && one.command == TOUCH);
                if made {
                    self.belief.files.entry("more.txt".to_owned()).or_default();
                }
                return Ok(("answers with a command", known));
            }
            _ => {}
        }
        self.mouth.set([whole()]);
        let stopped = self.desk.turn(&input).await?;
        if !stopped.waits {
            self.ended(talk, turn, &answer, &stopped)?;
            ensure!(stopped.report.changes.len() == 1, "not applied: {:?}", stopped.report);
            return Ok(("changes", known));
        }
        ensure!(stopped.report.changes.is_empty(), "{:?}", stopped.report);
        self.listed(talk, turn, &answer);
        self.held.push(Held { talk, turn, input, stopped, answer });
        Ok(("held edits", known))
    }

    /// A word about a turn that waits.
    pub(super) async fn decide(&mut self) -> Result<(&'static str, Known)> {
        let at = self.random.below(self.held.len());
        let Held { talk, turn, input, mut stopped, answer } = self.held.swap_remove(at);
        if self.belief.talks[talk].turns[turn].rewound {
            return Ok(("held edits that were rewound", Known::default()));
        }
        let yes = self.random.below(3) > 0;
        self.did.push(format!("turn {} of {talk}: {yes}", turn + 1));
        let decision = if yes { TurnDecision::Yes } else { TurnDecision::No };
        let told = TurnResume { decision: Some(decision), ..TurnResume::default() };
        self.mouth.set(std::iter::repeat_n(Says::Text(answer.text.clone()), 4));
        for _ in 0..4 {
            if !stopped.waits {
                break;
            }
            stopped = self.desk.tell(&input, &stopped, told.clone()).await?;
        }
        ensure!(!stopped.waits, "it waits on: {:?}", stopped.report);
        ensure!(yes || stopped.report.changes.is_empty(), "{:?}", stopped.report);
        self.ended(talk, turn, &answer, &stopped)?;
        if !stopped.report.changes.is_empty() {
            // It belongs to the turn whose answer it is, however many came since.
            let log = self.desk.store().file_operations(&input.session).await?;
            let last = log.iter().rev().find(|one| one.op != FileOpKind::Read);
            ensure!(last.is_some_and(|one| one.turn == input.turn), "{last:?}");
        }
        Ok((if yes { "held edits applied" } else { "held edits declined" }, Known::default()))
    }

    // What a turn came to.
    fn ended(
        &mut self,
        talk: usize,
        turn: usize,
        answer: &Answer,
        stopped: &Stopped,
    ) -> Result<()> {
        let report = &stopped.report;
        self.did.push(format!("  {:?} {:?} {:?}", report.ending, report.changes, report.why));
        if report.status != TurnStatus::CompletedPartial {
            self.listed(talk, turn, answer);
        }
        ensure!(report.changes.len() <= 1, "{report:?}");
        let Some(id) = report.changes.first() else { return Ok(()) };
        let change = self.belief.apply(id.clone(), answer.after.clone(), answer.tasks.clone());
        self.belief.changes[change].by = Some(talk);
        let is_green = self.belief.changes[change].good;
        ensure!(is_green || report.status == TurnStatus::NeedsAttention, "red: {report:?}");
        self.belief.talks[talk].turns[turn].changes.push(change);
        Ok(())
    }

    fn listed(&mut self, talk: usize, turn: usize, answer: &Answer) {
        for task in &answer.listed {
            self.belief.talks[talk].tasks.entry(task.clone()).or_insert(turn);
        }
    }

    // Some files, for some tasks of a list that is sent in another order each time.
    fn answer(&mut self, talk: usize) -> Answer {
        let mut listed: Vec<String> = self.belief.talks[talk].tasks.keys().cloned().collect();
        self.random.shuffle(&mut listed);
        listed.truncate(self.random.below(listed.len() + 1));
        for _ in 0..1 + self.random.below(2) {
            self.count += 1;
            listed.push(format!("Part {} of the work", self.count));
        }
        let mut after = Contents::new();
        let (mut changes, mut tasks) = (Vec::new(), BTreeSet::new());
        for _ in 0..1 + self.random.below(2) {
            let name = self.name();
            if after.contains_key(&name) {
                continue;
            }
            let mut change = json!({ "path": name });
            if self.belief.files.contains_key(&name) && self.random.below(7) == 0 {
                change["operation"] = json!("delete");
                after.insert(name, None);
            } else {
                let mut text = self.text(&name, "by the model");
                if self.random.below(8) == 0 {
                    text.push_str(&format!("{BROKEN}\n"));
                }
                change["content"] = json!(text);
                after.insert(name, Some(text));
            }
            if self.random.below(6) > 0 {
                let index = self.random.below(listed.len());
                change["todoIndex"] = json!(index);
                tasks.insert(listed[index].clone());
            }
            changes.push(change);
        }
        let claims = self.random.below(2) == 0;
        let todos: Vec<Value> =
            listed.iter().map(|task| json!({ "text": task, "completed": claims })).collect();
        let text = json!({
            "summary": format!("Does number {}.", self.count), "sections": [], "todos": todos,
            "fileChanges": changes, "commands": [], "nextSteps": [],
        });
        Answer { text: text.to_string(), after, listed, tasks }
    }
}
