//! The commands of a conversation: `/undo`, `/diff`, `/todos`, `/files`, `/images`, `/save`, `/run`, `/heal`, `/model`, `/cost`, `/help`.
//!
//! In: a line that begins with a stroke. Out: what the command of the same name shows or does. Never another way to
//! do it: each calls what `salve` itself does.

use super::draw;
use super::follow::Chat;
use crate::arguments::command as command_line;
use crate::arguments::{Arguments, Command};
use crate::commands::sessions::{handed_over, key};
use crate::failure::{Ending, Failure};
use crate::output;
use clap::FromArgMatches;
use salve_engine::session::{HandoffChoice, HandoffDone, TurnResume, decide_handoff, guide};
use salve_types::{ChangeState, TurnStatus};

/// What a line that begins with a stroke means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Slash {
    /// Takes the last change back.
    Undo,
    /// Shows what the last change did.
    Diff,
    /// Shows the tasks.
    Todos,
    /// Shows the files of the session.
    Files,
    /// Shows the images of the session.
    Images,
    /// Saves them in a folder of the workspace.
    Save(String),
    /// Runs a command, as a person typed it.
    Run(String),
    /// Heals what is red.
    Heal,
    /// Shows who is asked.
    Model,
    /// Shows what the session took.
    Cost,
    /// Goes on in a fresh session with what is left.
    Handoff,
    /// Goes on in this one with a larger window.
    Extend,
    /// Says something for the next request.
    Guide(String),
    /// Tries the last turn again.
    Retry,
    /// Shows the commands.
    Help,
    /// Ends the conversation.
    Quit,
    /// None of them.
    Unknown(String),
}

const HELP: &str = "\
/undo       takes the last change back
/diff       shows what the last change did
/todos      shows the tasks
/files      shows the files of this session
/images     shows the images of this session
/save DIR   saves them in a folder of the workspace
/run LINE   runs a command in the sandbox
/heal       heals what the check finds
/model      shows who is asked
/cost       shows what this session took
/handoff    goes on in a fresh session with what is left to do
/extend     goes on in this one with a window twice as large
/guide TEXT says something that enters the next request
/retry      tries the last turn again
/quit       ends; so does Ctrl-D
A line that ends in \\ goes on in the next; \"\"\" begins and ends a text of many lines.
";

impl Slash {
    /// Reads a line; nothing where it is none of these.
    pub(super) fn of(line: &str) -> Option<Self> {
        let line = line.strip_prefix('/')?;
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // A path is no command.
        if word.contains('/') || word.contains('.') {
            return None;
        }
        Some(match word {
            "undo" => Self::Undo,
            "diff" => Self::Diff,
            "todos" => Self::Todos,
            "files" => Self::Files,
            "images" => Self::Images,
            "save" => Self::Save(rest.trim().to_owned()),
            "run" => Self::Run(rest.trim().to_owned()),
            "heal" => Self::Heal,
            "model" => Self::Model,
            "cost" => Self::Cost,
            "retry" => Self::Retry,
            "handoff" => Self::Handoff,
            "extend" => Self::Extend,
            "guide" => Self::Guide(rest.trim().to_owned()),
            "help" | "?" => Self::Help,
            "quit" | "exit" => Self::Quit,
            other => Self::Unknown(other.to_owned()),
        })
    }
}

/// Does it.
pub(super) async fn run(chat: &mut Chat<'_>, command: &Slash) -> Result<(), Failure> {
    let session = chat.session.as_ref().map(|session| session.id.to_string());
    match command {
        Slash::Help => output::result(HELP),
        Slash::Quit => Ok(()),
        Slash::Unknown(word) => {
            Err(Failure::new(format!("there is no `/{word}`")).hint("`/help` shows the commands."))
        }
        Slash::Model => output::result(&format!("{}\n", model(chat))),
        Slash::Cost => cost(chat).await,
        Slash::Diff => call(chat, vec!["diff".to_owned()]).await,
        Slash::Heal => call(chat, vec!["heal".to_owned()]).await,
        Slash::Undo => {
            let Some(session) = session else { return output::result("nothing yet\n") };
            undo(chat, &session).await
        }
        Slash::Guide(text) if text.is_empty() => Err(Failure::new("`/guide` needs a text")),
        Slash::Guide(text) => {
            if chat.session.is_none() {
                return Err(Failure::new("no session has begun").hint("Ask for something first."));
            }
            guide(chat.open.store(), chat.session()?, text, &key()).await?;
            output::result("it enters the next request\n")
        }
        Slash::Retry => retry(chat).await,
        Slash::Handoff => decide(chat, HandoffChoice::Handoff).await,
        Slash::Extend => decide(chat, HandoffChoice::Extend).await,
        Slash::Run(line) if line.is_empty() => Err(Failure::new("`/run` needs a command")),
        Slash::Run(line) => {
            call(chat, vec!["run".to_owned(), "--line".to_owned(), line.clone()]).await
        }
        Slash::Save(folder) if folder.is_empty() => Err(Failure::new("`/save` needs a folder")),
        Slash::Images | Slash::Save(_) => {
            let Some(session) = session else { return output::result("nothing yet\n") };
            let mut words = vec!["sessions".to_owned(), "images".to_owned(), session];
            if let Slash::Save(folder) = command {
                words.extend(["--save-to".to_owned(), folder.clone()]);
            }
            call(chat, words).await
        }
        Slash::Todos | Slash::Files => {
            let Some(session) = session else { return output::result("nothing yet\n") };
            let name = if *command == Slash::Todos { "todos" } else { "files" };
            call(chat, vec![name.to_owned(), session]).await
        }
    }
}

async fn retry(chat: &mut Chat<'_>) -> Result<(), Failure> {
    if chat.session.is_none() {
        return output::result("nothing yet\n");
    }
    let turns = chat.open.store().turns(chat.session()?).await?;
    let Some(turn) = turns.into_iter().rev().find(|turn| !turn.rewound) else {
        return output::result("nothing yet\n");
    };
    if turn.status == TurnStatus::Completed {
        return output::result("the last turn is done\n");
    }
    let told = TurnResume { attended: chat.settings.attended, ..TurnResume::default() };
    let report = chat.go_on(&turn, told).await?;
    output::story(&draw::ended(&report));
    Ok(())
}

async fn decide(chat: &mut Chat<'_>, choice: HandoffChoice) -> Result<(), Failure> {
    if chat.session.is_none() {
        return output::result("nothing yet\n");
    }
    let done = decide_handoff(chat.open.store(), chat.session()?, choice).await?;
    output::result(&handed_over(&done))?;
    match done {
        HandoffDone::Handoff { child, input } => chat.begin_child(*child, input),
        HandoffDone::Extend { session } | HandoffDone::Cancel { session } => {
            chat.session = Some(*session);
        }
    }
    Ok(())
}

// The files and tasks of the last turn that changed any; the conversation stays.
async fn undo(chat: &Chat<'_>, session: &str) -> Result<(), Failure> {
    let changes = chat.open.store().session_changes(chat.session()?).await?;
    let last = changes.iter().rev().find(|change| change.state == ChangeState::Applied);
    let Some(last) = last else { return output::result("nothing was changed\n") };
    let turn = last.turn.to_string();
    let words = ["sessions", "rewind", session, "--turn", &turn, "--files-only"];
    call(chat, words.map(str::to_owned).to_vec()).await
}

// The command of that name, in this workspace. It opens what it needs by itself.
async fn call(chat: &Chat<'_>, mut words: Vec<String>) -> Result<(), Failure> {
    words.insert(0, "salve".to_owned());
    words.extend(["-C".to_owned(), chat.place.folder().display().to_string()]);
    let done = std::thread::spawn(move || -> Result<Ending, Failure> {
        let matches = command_line().try_get_matches_from(&words)?;
        let arguments = Arguments::from_arg_matches(&matches)?;
        let name = words.get(1).cloned().unwrap_or_default();
        debug_assert!(!matches!(arguments.command, Command::Chat(_)));
        crate::run(arguments, &name)
    });
    let done = tokio::task::spawn_blocking(move || done.join());
    let done = done.await.map_err(|error| Failure::new(error.to_string()))?;
    done.map_err(|_| Failure::new("the command ended badly"))?.map(drop)
}

fn model(chat: &Chat<'_>) -> String {
    serde_json::to_string(&chat.settings.model).unwrap_or_default()
}

async fn cost(chat: &Chat<'_>) -> Result<(), Failure> {
    let Some(session) = &chat.session else { return output::result("nothing yet\n") };
    let now = chat.open.store().session(&session.id).await?;
    let Some(now) = now else { return output::result("nothing yet\n") };
    let dollars = now.micro_dollars as f64 / 1e6;
    output::result(&format!(
        "{} turns, {} tokens in, {} out, ${dollars:.4}\n",
        now.turns, now.tokens_in, now.tokens_out
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stroke_begins_a_command_unless_it_begins_a_path() {
        for (line, expected) in [
            ("/undo", Some(Slash::Undo)),
            ("/run cargo test -p a", Some(Slash::Run("cargo test -p a".to_owned()))),
            ("/nothing", Some(Slash::Unknown("nothing".to_owned()))),
            ("/src/main.rs is wrong", None),
            ("/etc/passwd", None),
            ("undo it", None),
        ] {
            assert_eq!(Slash::of(line), expected, "{line}");
        }
    }
}
