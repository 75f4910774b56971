//! What a command does to the tree that the commands after it find.
//!
//! In: the words of a command and its redirections. Out: its effects. Never judges: what is not
//! understood here is asked about by the rules of the program.

use super::context::{Context, has_flag};
use super::family::{copies, fetched_files, names_packages};
use super::line_tree::{Content, Effect, is_code, is_text, last_name};
use crate::{PathKind, SimpleCommand, WordTarget};

/// Programs, and subcommands, that write files which cannot be told from their words.
#[rustfmt::skip]
const WRITES_ANYTHING: &[(&str, &[&str])] = &[
    ("tar", &[]), ("bsdtar", &[]), ("unzip", &[]), ("7z", &[]), ("7za", &[]), ("cpio", &[]), ("ar", &[]),
    ("unxz", &[]), ("gunzip", &[]), ("patch", &[]), ("rsync", &[]), ("scp", &[]), ("ln", &[]),
    ("install", &[]), ("link", &[]), ("chmod", &[]), ("chown", &[]), ("ed", &[]),
    ("git", &["checkout", "switch", "restore", "stash", "pull", "merge", "rebase", "reset", "clone", "apply",
        "am", "cherry-pick", "revert", "submodule", "worktree", "clean", "mv", "rm", "init", "config", "read-tree",
        "checkout-index", "fetch", "sparse-checkout", "bisect", "subtree", "lfs"]),
    ("cargo", &["add", "install", "generate", "new", "init", "remove", "update", "vendor", "fix"]),
    ("go", &["get", "install", "generate", "work"]),
    ("npm", &["pack", "init", "create", "exec", "link", "update", "uninstall"]),
    ("pip", &["download", "wheel"]), ("pip3", &["download", "wheel"]),
];

/// Returns what a command does; `fetches` tells that a command of its pipeline speaks to the network.
pub(super) fn effects(
    context: &Context<'_>,
    command: &SimpleCommand,
    fetches: bool,
) -> Vec<Effect> {
    let mut effects = by_program(context, fetches);
    for redirect in &command.redirects {
        if let WordTarget::Write(word) | WordTarget::Append(word) = &redirect.target
            && word.text != "/dev/null"
        {
            let path = context.paths.real(&word.text);
            effects.push(Effect::File { path, content: written(fetches) });
        }
    }
    effects
}

const fn written(fetches: bool) -> Content {
    if fetches { Content::Fetched } else { Content::Written }
}

fn by_program(context: &Context<'_>, fetches: bool) -> Vec<Effect> {
    let words: [&str; 2] = [0, 1].map(|at| context.words.get(at).map_or("", String::as_str));
    let by = || words.join(" ").trim_end().to_owned();
    // `git stash list`, `git stash show` and `git worktree list` only look.
    let lists = context.words.get(2).is_some_and(|word| matches!(word.as_str(), "list" | "show"));
    if !lists
        && WRITES_ANYTHING.iter().any(|(program, subcommands)| {
            *program == words[0] && (subcommands.is_empty() || subcommands.contains(&words[1]))
        })
    {
        return vec![Effect::Everything { by: by() }];
    }
    let file = |path: &str, content| Effect::File { path: context.paths.real(path), content };
    let plain = || context.words.iter().skip(1).filter(|word| !word.starts_with('-'));
    match words[0] {
        "mkdir" => plain().map(|path| Effect::Folder(context.paths.real(path))).collect(),
        "tee" => plain().map(|path| file(path, written(fetches))).collect(),
        "touch" => plain().map(|path| file(path, Content::Known)).collect(),
        "cp" | "mv" => copied(context),
        "curl" | "wget" => {
            fetched_files(context).iter().map(|path| file(path, Content::Fetched)).collect()
        }
        _ if names_packages(context) => vec![Effect::Installed { by: by() }],
        _ => Vec::new(),
    }
}

// A file keeps its content under its new name; a folder or a link leads where nothing was looked at.
fn copied(context: &Context<'_>) -> Vec<Effect> {
    let Some((items, moves)) = copies::items(context) else { return Vec::new() };
    let (sources, Some(target)) = copies::ends(&items) else { return Vec::new() };
    let (target, is_folder) = copies::target_folder(context, &items, &sources, target);
    let keeps_links =
        moves || has_flag(&items, &["-P", "--no-dereference", "-d", "-a", "--archive"]);
    let whole = moves || has_flag(&items, &["-a", "--archive", "-R", "-r", "--recursive"]);
    let mut effects = Vec::new();
    for source in sources {
        let name = if has_flag(&items, &["--parents"]) { source } else { last_name(source) };
        let path = if is_folder { format!("{target}/{name}") } else { target.to_owned() };
        let path = context.paths.real(&path);
        let kind = context.paths.kind(source);
        effects.extend(context.paths.carried(source, &path));
        // Data under the name of code is as good as code that was written, and so is other text under
        // a name where examples are looked for.
        let (from, to) = (last_name(source), last_name(&path));
        let is_new_code = (is_code(&path) && (!is_code(source) || becomes_settings(from, to)))
            || (is_text(&path) && from != to);
        let content = if is_new_code { Content::Written } else { Content::Known };
        match kind {
            PathKind::File => effects.push(Effect::File { path, content }),
            PathKind::Other if !keeps_links && !whole => {
                effects.push(Effect::File { path, content });
            }
            kind => effects.push(Effect::Tree { path, kind }),
        }
        if moves && kind != PathKind::File {
            effects.push(Effect::Gone(context.paths.real(source)));
        }
    }
    effects
}

// `cp config.toml pytest.ini`: settings are obeyed for their name, whatever they were before.
fn becomes_settings(from: &str, to: &str) -> bool {
    const SETTINGS: &[&str] =
        &["toml", "cfg", "ini", "json", "jsonc", "yml", "yaml", "mod", "work"];
    let ending = |name: &str| name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    from != to
        && (ending(from) != ending(to)
            || ending(to).is_some_and(|ending| SETTINGS.contains(&ending.as_str())))
}
