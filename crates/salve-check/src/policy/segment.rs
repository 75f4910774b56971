//! One simple command: its patterns, its entry on the list, its words, its redirections.
//!
//! In: a parsed command and the facts. Out: the final words, what it can do at worst, and what
//! speaks against it. Never judges a word that is not the one that will be executed.

use super::context::{Context, Judged};
use super::family::{self, Family};
use super::list::{PolicyRules, is_never};
use super::objection::{Objection, Rule};
use crate::{
    GlobMatches, PathFacts, PlannedCommand, PlannedRedirect, RedirectTarget, RepoFacts, RiskClass,
    SimpleCommand, WordTarget,
};

/// The most words a command may have once its patterns are expanded.
const MAX_WORDS: usize = 4096;
/// Programs whose operands are only read, so that a pattern may stand alone.
const READERS: &[&str] = &["ls", "cat", "head", "grep"];

/// A command, judged.
pub(super) struct JudgedCommand {
    /// What would be executed; absent when a pattern cannot be expanded.
    pub(super) planned: Option<PlannedCommand>,
    pub(super) risk: RiskClass,
    pub(super) objection: Option<Objection>,
}

/// Judges one command; `has_input` tells that the one before it in the pipeline feeds it.
pub(super) fn judge(
    command: &SimpleCommand,
    has_input: bool,
    rules: &PolicyRules,
    paths: &dyn PathFacts,
    repository: &dyn RepoFacts,
) -> JudgedCommand {
    let words = match expand(command, paths) {
        Ok(words) => words,
        Err(objection) => {
            let risk = RiskClass::Network;
            return JudgedCommand { planned: None, risk, objection: Some(objection) };
        }
    };
    let redirects = command.redirects.iter().map(planned_redirect).collect();
    let reads_file = command.redirects.iter().any(|redirect| redirect.descriptor == 0);
    let writes_file = command.redirects.iter().any(writes);
    let context = Context {
        words: &words,
        named: 0,
        agreed: 0,
        has_input: has_input || reads_file,
        paths,
        repository,
    };
    let (risk, judged) = judge_words(context, rules);
    let risk = if writes_file { risk.max(RiskClass::Write) } else { risk };
    let objection =
        judged.and_then(|()| patterns(command)).and_then(|()| redirections(context, command)).err();
    let planned = PlannedCommand { argv: words, redirects };
    JudgedCommand { planned: Some(planned), risk, objection }
}

fn judge_words(context: Context<'_>, rules: &PolicyRules) -> (RiskClass, Judged) {
    let words = context.words;
    let shown = words.first().map_or("", String::as_str);
    if let Some(entry) = rules.denial(words) {
        let why = format!("a rule denies `{}`", entry.words.join(" "));
        return (RiskClass::Network, Err(Objection::never(Rule::Denied, why)));
    }
    if is_never(words) {
        let why =
            format!("`{shown}` deletes, or runs what cannot be seen here; that is always asked");
        return (RiskClass::Network, Err(Objection::never(Rule::Never, why)));
    }
    if let Some(entry) = rules.refusal(words) {
        let why = format!("the project refuses `{}`", entry.words.join(" "));
        return (RiskClass::Network, Err(Objection::never(Rule::NotListed, why)));
    }
    let Some(entry) = rules.entry(words) else {
        let why = format!("`{}` is not on the list", not_listed_name(words));
        let objection = Objection::unless_listed(Rule::NotListed, words.len(), why);
        return (RiskClass::Network, Err(objection));
    };
    let agreed = entry.words.len();
    match family::family(words) {
        Some(Family { named, judge }) => {
            let context = Context { named, agreed, ..context };
            (entry.risk.max(family::raised_risk(&context)), judge(&context))
        }
        None => (entry.risk, family::listed_only(&Context { named: agreed, agreed, ..context })),
    }
}

// Up to the first flag, so that `git push --force` is shown as `git push`.
fn not_listed_name(words: &[String]) -> String {
    let name: Vec<&str> = words
        .iter()
        .take(2)
        .map(String::as_str)
        .take_while(|word| !word.starts_with('-'))
        .collect();
    name.join(" ").escape_debug().to_string()
}

/// Expands the patterns of a command.
fn expand(command: &SimpleCommand, paths: &dyn PathFacts) -> Judged<Vec<String>> {
    let mut words = Vec::with_capacity(command.words.len());
    for word in &command.words {
        let Some(pattern) = &word.pattern else {
            words.push(word.text.clone());
            continue;
        };
        match paths.expand(pattern) {
            GlobMatches::Names(names) if names.is_empty() => words.push(word.text.clone()),
            GlobMatches::Names(names) => {
                if let Some(name) = names.iter().find(|name| name.starts_with('-')) {
                    let why = format!("a file is called `{}`, like a flag", name.escape_debug());
                    return Err(Objection::never(Rule::Glob, why));
                }
                words.extend(names);
            }
            GlobMatches::Unknown(why) => {
                let why = format!("`{}` cannot be expanded: {why}", pattern.escape_debug());
                return Err(Objection::never(Rule::Glob, why));
            }
        }
        if words.len() > MAX_WORDS {
            let why = format!("the patterns stand for more than {MAX_WORDS} words");
            return Err(Objection::never(Rule::TooMany, why));
        }
    }
    Ok(words)
}

// What a pattern stands for may change between now and then; a name that could become a flag, or
// the target of a copy, is not left to that.
fn patterns(command: &SimpleCommand) -> Judged {
    if READERS.contains(&command.name()) {
        return Ok(());
    }
    for word in command.words.iter().filter(|word| word.pattern.is_some()) {
        if word.literal_folder().is_empty() || word.text.starts_with('-') {
            let name = command.name();
            let text = word.text.escape_debug();
            let why = format!(
                "`{text}` is a pattern, and what it matches could be a flag of `{name}`; write `./{text}`"
            );
            return Err(Objection::never(Rule::Glob, why));
        }
    }
    Ok(())
}

fn redirections(context: Context<'_>, command: &SimpleCommand) -> Judged {
    for redirect in &command.redirects {
        let judged = match &redirect.target {
            WordTarget::Read(word) => context.read(&word.text),
            WordTarget::Write(word) | WordTarget::Append(word) => match word.text.as_str() {
                "/dev/null" => Ok(()),
                text => context.write(text),
            },
            WordTarget::Same(_) => Ok(()),
        };
        judged.map_err(|objection| Objection { rule: Rule::Redirection, ..objection })?;
    }
    Ok(())
}

fn writes(redirect: &crate::Redirect) -> bool {
    match &redirect.target {
        WordTarget::Write(word) | WordTarget::Append(word) => word.text != "/dev/null",
        WordTarget::Read(_) | WordTarget::Same(_) => false,
    }
}

fn planned_redirect(redirect: &crate::Redirect) -> PlannedRedirect {
    let target = match &redirect.target {
        WordTarget::Read(word) => RedirectTarget::Read(word.text.clone()),
        WordTarget::Write(word) => RedirectTarget::Write(word.text.clone()),
        WordTarget::Append(word) => RedirectTarget::Append(word.text.clone()),
        WordTarget::Same(descriptor) => RedirectTarget::Same(*descriptor),
    };
    PlannedRedirect { descriptor: redirect.descriptor, target }
}
