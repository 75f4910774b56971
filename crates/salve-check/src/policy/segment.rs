//! One simple command: its patterns, its entry on the list, its words, its redirections.
//!
//! In: a parsed command and the facts. Out: the final words, what it can do at worst, and what
//! speaks against it. Never judges a word that is not the one that will be executed.

use super::context::{Context, Judged};
use super::family::{self, Family, Starts};
use super::line_tree::LineTree;
use super::list::{EntryOrigin, PolicyRules, is_never};
use super::objection::{Objection, Rule};
use crate::{
    GlobMatches, PlannedCommand, PlannedRedirect, RedirectTarget, RepoFacts, RiskClass,
    SimpleCommand, WordTarget,
};

/// Programs whose operands are only read, so that a pattern may stand alone.
const READERS: &[&str] = &["ls", "cat", "head", "grep"];

/// A command, judged.
pub(super) struct JudgedCommand {
    /// What would be executed; absent when a pattern cannot be expanded.
    pub(super) planned: Option<PlannedCommand>,
    pub(super) risk: RiskClass,
    pub(super) objection: Option<Objection>,
}

/// Judges one command with its patterns expanded; `has_input` tells that the one before it in the
/// pipeline feeds it.
pub(super) fn judge(
    command: &SimpleCommand,
    words: Result<&[String], &Objection>,
    has_input: bool,
    rules: &PolicyRules,
    paths: &LineTree<'_>,
    repository: &dyn RepoFacts,
) -> JudgedCommand {
    let words = match words {
        Ok(words) => words,
        Err(objection) => {
            let risk = RiskClass::Network;
            return JudgedCommand { planned: None, risk, objection: Some(objection.clone()) };
        }
    };
    let redirects = command.redirects.iter().map(planned_redirect).collect();
    let reads_file = command.redirects.iter().any(|redirect| redirect.descriptor == 0);
    let writes_file = command.redirects.iter().any(writes);
    let context = Context {
        words,
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
    let planned = PlannedCommand { argv: words.to_vec(), redirects };
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
    let Some((entry, origin)) = rules.entry(words) else {
        let why = format!("`{}` is not on the list", not_listed_name(words));
        // A program of the folder itself is named by a path, and only a person can have listed it.
        let rule = if shown.contains('/') { Rule::Name } else { Rule::NotListed };
        let objection = Objection::unless_listed(rule, words.len(), why);
        return (RiskClass::Network, Err(objection));
    };
    let agreed = entry.words.len();
    if shown.contains('/')
        && let Err(objection) = context.read(shown)
    {
        return (RiskClass::Network, Err(objection));
    }
    let family = match origin {
        EntryOrigin::List => family::family(words),
        EntryOrigin::Profile => family::everyday::family(words),
    };
    match family {
        Some(Family { named, judge, starts }) => {
            let context = Context { named, agreed, ..context };
            let judged = judge(&context).and_then(|()| started(&context, starts));
            (entry.risk.max(family::raised_risk(&context)), judged)
        }
        None => {
            let context = Context { named: agreed, agreed, ..context };
            let judged = family::listed_only(&context);
            (entry.risk, judged.and_then(|()| started(&context, Starts::Code)))
        }
    }
}

// What a command starts must not be what the line itself has just made.
fn started(context: &Context<'_>, starts: Starts) -> Judged {
    let (code, git) = match starts {
        Starts::Nothing => return Ok(()),
        Starts::Git => (false, true),
        Starts::Code => (true, context.program() == "go"),
        Starts::Installer => (true, false),
    };
    if code {
        context.paths.runs_code(context.words, starts == Starts::Installer)?;
    }
    if git { context.paths.git_looks() } else { Ok(()) }
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
pub(super) fn expand(command: &SimpleCommand, paths: &LineTree<'_>) -> Judged<Vec<String>> {
    let mut words = Vec::with_capacity(command.words.len());
    for word in &command.words {
        let Some(pattern) = &word.pattern else {
            words.push(word.text.clone());
            continue;
        };
        match paths.expand(pattern) {
            GlobMatches::Names(names) if names.is_empty() => {
                if paths.picks_secrets(pattern) {
                    let why =
                        format!("`{}` picks out files that hold secrets", pattern.escape_debug());
                    return Err(Objection::never(Rule::Secret, why));
                }
                words.push(word.text.clone());
            }
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
