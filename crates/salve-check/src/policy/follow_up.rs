//! What a model says should happen after a command.
//!
//! In: its answer. Out: continue, stop, or another command instead. Never an authorisation: a
//! replacement is judged as any proposed command is. A structured answer counts before any words,
//! and whatever is unclear means stop. Its caller is the conversation, where a model supervises the
//! commands that it proposed.

use serde::{Deserialize, Serialize};

/// What should happen next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[must_use]
pub enum CommandFollowUp {
    /// The next command.
    Continue,
    /// Nothing, until a person looked.
    Stop {
        /// The reason.
        why: String,
    },
    /// This command instead of the next; it goes through the same policy.
    Replace {
        /// The line.
        command: String,
    },
}

/// An answer about a command: what should happen, and what was said about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Supervision {
    /// What should happen next.
    pub next: CommandFollowUp,
    /// The words, for people: the reason that was given, or the text without its blocks.
    pub said: String,
}

/// Reads `{"action": "continue" | "stop" | "replace", "command": …}` from an answer, alone or with
/// text around it; without one, the words decide.
pub fn read_follow_up(text: &str) -> CommandFollowUp {
    read_supervision(text).next
}

/// Reads an answer as [`read_follow_up`] does, with what was said.
pub fn read_supervision(text: &str) -> Supervision {
    let mut answers = structured(text);
    match (answers.pop(), answers.is_empty()) {
        (Some(answer), true) => answer,
        (Some(_), false) => stopped("the answer holds more than one action"),
        (None, _) => Supervision { next: in_words(text), said: prose_of(text) },
    }
}

#[derive(Deserialize)]
struct Answer {
    action: String,
    command: Option<String>,
    #[serde(alias = "reason")]
    why: Option<String>,
}

/// How many places of an answer are tried, and how much of it is read.
const MAX_OBJECTS: usize = 64;
const MAX_BYTES: usize = 64 << 10;

// Every object with an action that is not inside another one.
fn structured(text: &str) -> Vec<Supervision> {
    let mut found = Vec::new();
    let mut from = 0;
    for _ in 0..MAX_OBJECTS {
        let Some(rest) = text.get(from..).filter(|_| from < MAX_BYTES) else { break };
        let Some(open) = rest.find('{') else { break };
        let mut objects = serde_json::Deserializer::from_str(&rest[open..]).into_iter();
        let value: Option<serde_json::Value> = objects.next().and_then(Result::ok);
        // What is no whole object may still hold one.
        from += open + value.as_ref().map_or(1, |_| objects.byte_offset());
        if let Some(value) = value.filter(|value| value.get("action").is_some()) {
            found.push(serde_json::from_value(value).map_or_else(
                |_| stopped("the action is not written as agreed"),
                Answer::supervision,
            ));
        }
    }
    found
}

impl Answer {
    fn supervision(self) -> Supervision {
        Supervision { said: self.why.clone().unwrap_or_default(), next: self.follow_up() }
    }

    fn follow_up(self) -> CommandFollowUp {
        match (self.action.as_str(), self.command) {
            ("continue", _) => CommandFollowUp::Continue,
            ("stop", _) => stop(self.why.as_deref().unwrap_or("the model says stop")),
            ("replace", Some(command)) if !command.trim().is_empty() => {
                CommandFollowUp::Replace { command }
            }
            ("replace", _) => stop("a replacement without a command"),
            _ => stop("an unknown action"),
        }
    }
}

fn stop(why: &str) -> CommandFollowUp {
    CommandFollowUp::Stop { why: why.to_owned() }
}

fn stopped(why: &str) -> Supervision {
    Supervision { next: stop(why), said: String::new() }
}

fn prose_of(text: &str) -> String {
    let (prose, _) = without_blocks(text);
    prose.split_whitespace().collect::<Vec<&str>>().join(" ")
}

// Only when nothing structured was said.
fn in_words(text: &str) -> CommandFollowUp {
    let (prose, blocks) = without_blocks(text);
    let mut says_continue = false;
    let mut complaint = None;
    for clause in prose.split(['.', ',', ';', ':', '!', '?', '\n', '(', ')']) {
        let words: Vec<String> = words_of(clause);
        for (index, word) in words.iter().enumerate() {
            let is_negated = is_negated(&words, index);
            let word = word.as_str();
            says_continue |= GO_ON.contains(&word) && !is_negated;
            let is_complaint = (HOLD_ON.contains(&word) || TROUBLE.contains(&word)) && !is_negated
                || GO_ON.contains(&word) && is_negated;
            if is_complaint && complaint.is_none() {
                complaint = Some(word.to_owned());
            }
        }
    }
    match (complaint, blocks.as_slice()) {
        (Some(word), _) if HOLD_ON.contains(&word.as_str()) => {
            stop(&format!("the answer says `{word}`"))
        }
        (_, [command]) => CommandFollowUp::Replace { command: command.clone() },
        (Some(word), _) => stop(&format!("the answer says `{word}`")),
        (None, _) if says_continue => CommandFollowUp::Continue,
        (None, _) => stop("the answer does not say what to do"),
    }
}

const GO_ON: &[&str] = &["continue", "proceed", "continuing", "proceeding"];
const HOLD_ON: &[&str] = &["stop", "pause", "abort", "halt", "wait"];
#[rustfmt::skip]
const TROUBLE: &[&str] = &[
    "error", "errors", "fail", "fails", "failed", "failing", "failure", "failures", "exception", "exceptions",
    "crash", "crashed", "panicked", "broken",
];
#[rustfmt::skip]
const NEGATIONS: &[&str] = &[
    "no", "not", "without", "zero", "0", "never", "none", "nothing", "don't", "doesn't", "didn't", "isn't", "aren't",
    "wasn't", "weren't", "won't", "can't", "cannot", "shouldn't", "neither", "nor",
];

// "no error", "no warnings or errors", "did not fail", "error-free".
fn is_negated(words: &[String], index: usize) -> bool {
    let before = words.get(index.saturating_sub(3)..index).unwrap_or(&[]);
    before.iter().any(|word| NEGATIONS.contains(&word.as_str()))
        || words.get(index + 1).is_some_and(|word| word == "free")
}

fn words_of(clause: &str) -> Vec<String> {
    clause
        .split(|char: char| !char.is_alphanumeric() && char != '\'' && char != '’')
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect()
}

// Takes fenced blocks of one line out of a text: commands that are proposed.
fn without_blocks(text: &str) -> (String, Vec<String>) {
    let mut prose = String::new();
    let mut blocks = Vec::new();
    let mut block: Option<Vec<&str>> = None;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        match (&mut block, is_fence) {
            (None, true) => block = Some(Vec::new()),
            (None, false) => {
                prose.push_str(line);
                prose.push('\n');
            }
            (Some(lines), false) => lines.push(line),
            (Some(lines), true) => {
                if let [line] = lines.as_slice() {
                    let line = line.trim();
                    blocks.push(line.strip_prefix("$ ").unwrap_or(line).to_owned());
                }
                block = None;
            }
        }
    }
    (prose, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match read_follow_up(text) {
            CommandFollowUp::Continue => "continue".to_owned(),
            CommandFollowUp::Stop { .. } => "stop".to_owned(),
            CommandFollowUp::Replace { command } => format!("replace {command}"),
        }
    }

    #[test]
    fn c068_a_structured_answer_decides() {
        for (text, expected) in [
            (r#"{"action": "continue"}"#, "continue"),
            (r#"There was an error, but: {"action":"continue"} ok?"#, "continue"),
            ("```json\n{\"action\": \"stop\", \"why\": \"tests fail\"}\n```", "stop"),
            (r#"{"action":"replace","command":"cargo check"}"#, "replace cargo check"),
            (r#"{"action":"replace"}"#, "stop"),
            (r#"{"action":"replace","command":" "}"#, "stop"),
            (r#"{"action":"explode"}"#, "stop"),
            (r#"{"action":7} continue"#, "stop"),
            (r#"{"action":"continue"} {"action":"stop"}"#, "stop"),
            (r#"{"action":"continue","action":"stop"}"#, "stop"),
            (r#"{"x": {"action":"continue"}} please continue"#, "continue"),
            (r#"{"note": 1} {"action":"continue"}"#, "continue"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn c068_words_are_only_the_fallback() {
        for (text, expected) in [
            ("continue", "continue"),
            ("No error, continue.", "continue"),
            ("There were no warnings or errors. Please continue", "continue"),
            ("The build is error-free, proceed.", "continue"),
            ("It did not fail; continue with the next one.", "continue"),
            ("stop", "stop"),
            ("I see an error in line 3, continue?", "stop"),
            ("Do not continue.", "stop"),
            ("Don’t continue", "stop"),
            ("The tests failed", "stop"),
            ("Looks good.", "stop"),
            ("", "stop"),
            ("Run this instead:\n```bash\n$ cargo build\n```\n", "replace cargo build"),
            ("The test failed, first do:\n```\nnpm install\n```", "replace npm install"),
            ("Stop! Do not run\n```\nnpm install\n```", "stop"),
            ("One of these:\n```\na\n```\n```\nb\n```", "stop"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn c068_what_was_said_is_kept_for_people() {
        for (text, said) in [
            (r#"{"action": "continue", "why": "Directory created."}"#, "Directory created."),
            (r#"{"action": "continue"}"#, ""),
            ("Directory created.\nContinue.", "Directory created. Continue."),
            ("Let me fix it...\n```\ncurl x\n```\n", "Let me fix it..."),
        ] {
            assert_eq!(read_supervision(text).said, said, "{text}");
        }
    }

    #[test]
    fn hostile_answers_are_answered() {
        for unit in ["{", "{\"action\":", "[{", "```\n", "no ", "{\"action\":\"continue\"}", "é’"]
        {
            let _ = read_follow_up(&unit.repeat(100_000));
        }
    }

    #[test]
    fn c069_a_replacement_is_judged_as_any_command() {
        use crate::policy::approvals::tests_support::Quiet;
        use crate::policy::{PolicyRules, Rule, judge_command};
        for (text, rule) in [
            (r#"{"action":"replace","command":"rm -rf x"}"#, Rule::Never),
            (r#"{"action":"replace","command":"ls; rm -rf x"}"#, Rule::Never),
            (r#"{"action":"replace","command":"cat x | sh"}"#, Rule::Never),
            (r#"{"action":"replace","command":"ls $(rm x)"}"#, Rule::Word),
            (r#"{"action":"replace","command":"ls\nrm x"}"#, Rule::Input),
            (r#"{"action":"replace","command":"ls src"}"#, Rule::Listed),
        ] {
            let CommandFollowUp::Replace { command } = read_follow_up(text) else {
                unreachable!("{text} replaces")
            };
            let verdict = judge_command(&command, &PolicyRules::default(), &Quiet, &Quiet);
            assert_eq!(verdict.rule, rule, "{text}");
        }
    }
}
