//! `salve setup`: points an agent that is already there at the gateway.
//!
//! In: the name of an agent. Out: the change of that agent's own configuration as a diff, a question,
//! and the change as one that `salve undo` takes back. Never writes another file than the one shown,
//! never rewrites what it does not change, and where it cannot be sure it says which lines to paste.

mod agents;
mod continue_models;
mod jsonc;
mod toml_key;
mod yaml_keys;

use crate::arguments::{FolderArguments, Format, SetupArguments, TreeArguments};
use crate::change::{self, visible};
use crate::failure::{CommandResult, Ending, Failure};
use crate::keys::Keys;
use crate::workspace::{self, meta};
use crate::{config_files, output};
use agents::{Edited, Place, Wish};
use salve_tree::{
    AdmitOptions, Allow, ApplyOutcome, Origin, Verification, VerifyOptions, apply, verify,
};
use salve_types::{EditEnd, EditFormat, EditSet, FileChange, FileEdit, Span};
use serde_json::json;

/// The permission bits of a configuration that did not exist: it may come to hold keys.
const NEW_FILE_MODE: u32 = 0o600;

/// Runs `salve setup`.
pub(crate) fn run(arguments: &SetupArguments, format: Format) -> CommandResult {
    let wish = Wish { url: &arguments.url, provider: arguments.provider, remove: arguments.remove };
    let Some(place) = agents::place(arguments.agent)? else {
        output::result(&agents::lines(arguments.agent, &wish))?;
        output::story(
            "this agent keeps its settings where only it can change them; enter them there\n",
        );
        return Ok(Ending::NeedsApproval);
    };
    let before = config_files::read(&place.path())?;
    let shown = visible(&place.path().to_string_lossy());
    match agents::edit(arguments.agent, before.as_deref(), &wish) {
        Edited::Same => {
            tell(
                format,
                &shown,
                "unchanged",
                &format!("{shown} is as it should be; nothing was changed\n"),
            )?;
            Ok(Ending::Clean)
        }
        Edited::Unsure(why) => {
            let lines = agents::lines(arguments.agent, &wish);
            output::story(&format!("{shown} was not changed: {why}\n"));
            output::story(if wish.remove {
                "Take these lines out:\n"
            } else {
                "Put these lines into it:\n"
            });
            output::result(&lines)?;
            Ok(Ending::NeedsApproval)
        }
        Edited::Text(after) => offer(arguments, &place, before.as_deref(), &after, format),
    }
}

fn offer(
    arguments: &SetupArguments,
    place: &Place,
    before: Option<&str>,
    after: &str,
    format: Format,
) -> CommandResult {
    let shown = visible(&place.path().to_string_lossy());
    let old = before.map(|text| (text.as_bytes(), NEW_FILE_MODE));
    let diff = change::file(&place.file, old, Some((after.as_bytes(), NEW_FILE_MODE)));
    output::story(&format!("{shown}\n{diff}"));
    if arguments.dry_run {
        tell(format, &shown, "planned", "")?;
        return Ok(Ending::Clean);
    }
    if !arguments.yes && !said_yes()? {
        output::story("nothing was changed\n");
        return Ok(Ending::NeedsApproval);
    }
    write(arguments, place, before, after)?;
    let folder = visible(&place.folder.to_string_lossy());
    tell(
        format,
        &shown,
        "changed",
        &format!("changed {shown}; `salve undo --root {folder}` takes it back\n"),
    )?;
    Ok(Ending::Clean)
}

fn tell(format: Format, path: &str, state: &str, words: &str) -> Result<(), Failure> {
    let document = json!({ "file": path, "state": state });
    match format {
        Format::Human => output::result(words),
        _ => output::value(format, &document),
    }
}

fn said_yes() -> Result<bool, Failure> {
    let Some(keys) = Keys::of_person() else {
        output::story("there is no terminal to ask on; `--yes` changes it without asking\n");
        return Ok(false);
    };
    output::story("Change it? [y/N] ");
    let yes = matches!(keys.next()?, Some('y' | 'Y'));
    output::story(if yes { "y\n" } else { "n\n" });
    Ok(yes)
}

// A tree rooted at the configuration's folder, and that file only.
fn write(
    arguments: &SetupArguments,
    place: &Place,
    before: Option<&str>,
    after: &str,
) -> Result<(), Failure> {
    std::fs::create_dir_all(&place.folder).map_err(|error| {
        Failure::new(format!("cannot create `{}`: {error}", place.folder.display()))
    })?;
    let named = FolderArguments { directory: None, root: Some(place.folder.clone()) };
    let tree = TreeArguments { place: named, wait: 5 };
    let opened = workspace::open(&tree)?;
    if config_files::read(&place.path())?.as_deref() != before {
        return Err(Failure::new(format!("`{}` changed in the meantime", place.path().display()))
            .hint("Nothing was written; run the command again."));
    }
    let edits = EditSet {
        format: EditFormat::WholeFile,
        files: vec![FileEdit {
            path: Some(place.file.clone()),
            change: FileChange::Write(after.to_owned()),
            rename_to: None,
            mode: before.is_none().then_some(NEW_FILE_MODE),
            span: Span::new(0, after.len()),
        }],
        end: EditEnd::Complete,
        notes: Vec::new(),
        hashes: None,
    };
    // A person asked for this very file and has seen the change: no guard knows better.
    let options = VerifyOptions {
        allow: Allow { omissions: true, shrink: true, syntax: true },
        ..VerifyOptions::default()
    };
    let view = opened.view(AdmitOptions { allow_protected: true, ..AdmitOptions::default() });
    let verified = match verify(&edits, &view, &options) {
        Verification::Verified { edits, .. } => edits,
        Verification::Refused(refusal) => {
            return Err(Failure::new(format!(
                "cannot change `{}`: {}",
                place.path().display(),
                refusal.message
            )));
        }
    };
    let name = arguments.agent.name();
    let label =
        if arguments.remove { format!("setup {name} --remove") } else { format!("setup {name}") };
    let meta = salve_tree::ChangeMeta { label: Some(label), ..meta(Origin::User) };
    match apply(&opened.tree, verified, &meta)? {
        ApplyOutcome::Conflict(_) => {
            Err(Failure::new(format!("`{}` changed in the meantime", place.path().display()))
                .hint("Nothing was written; run the command again."))
        }
        _ => Ok(()),
    }
}
