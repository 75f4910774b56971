//! Running where the machine cannot keep every guarantee: asked about once for each workspace.
//!
//! In: a workspace, the guarantees that nothing keeps there. Out: whether a person agreed, now or
//! earlier. Remembers it in `unguarded.toml` of the user's configuration folder. Never takes an
//! agreement for more than the guarantees it was given for, and never from a file of the workspace.

use crate::config_files;
use crate::failure::Failure;
use crate::keys::{Keys, Offer};
use crate::output;
use anstyle::AnsiColor;
use salve_check::{Attendance, Guarantee, NamespaceDenial, Runner};
use serde::{Deserialize, Serialize};
use std::path::Path;

const FILE: &str = "unguarded.toml";

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Agreements {
    #[serde(default, rename = "workspace")]
    workspaces: Vec<Agreement>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agreement {
    path: String,
    without: Vec<String>,
}

/// Decides whether runs may start in a workspace without some guarantees: a `--yes`, an agreement
/// from before, or the person at the terminal.
pub(crate) fn may_run(
    workspace: &Path,
    open: &[Guarantee],
    attendance: Attendance,
) -> Result<bool, Failure> {
    if is_agreed(&load()?, workspace, open) {
        return Ok(true);
    }
    output::story(&warning(open));
    if attendance == Attendance::Agreed {
        return Ok(true);
    }
    let asked = (attendance == Attendance::Interactive).then(Keys::of_person).flatten();
    let Some(keys) = asked else {
        output::story("not run: there was no way to ask; `--yes` runs it anyway\n");
        return Ok(false);
    };
    let bold = anstyle::Style::new().bold();
    output::story(&format!(
        "{bold}[r]{bold:#} Run once   {bold}[w]{bold:#} Run in this workspace from now on   {bold}[s]{bold:#} Skip\n"
    ));
    let offers = [
        Offer { key: 'r', words: "run it once", lasts: false },
        Offer { key: 'w', words: "run commands in this workspace from now on", lasts: true },
    ];
    match keys.ask(&offers)? {
        Some('w') => agree(workspace, open).map(|()| true),
        taken => Ok(taken.is_some()),
    }
}

/// The same for a runner: asks about the guarantees that it does not keep. Nothing is asked where it
/// keeps them all.
pub(crate) fn may_run_with(runner: &Runner, workspace: &Path, yes: bool) -> Result<bool, Failure> {
    let reports = runner.guarantees()?;
    let open = reports.iter().filter(|report| !report.held).map(|report| report.guarantee);
    let open: Vec<Guarantee> = open.collect();
    let attendance = if yes { Attendance::Agreed } else { Attendance::Interactive };
    Ok(open.is_empty() || may_run(workspace, &open, attendance)?)
}

fn warning(open: &[Guarantee]) -> String {
    let warn = AnsiColor::Yellow.on_default().bold();
    let calm = AnsiColor::Cyan.on_default();
    let mut text = format!("{warn}warning{warn:#}: this machine cannot hold a run as it should:\n");
    for guarantee in open {
        text.push_str(&format!("  {}\n", guarantee.risk()));
    }
    let cause = NamespaceDenial::find()
        .map_or(String::new(), |cause| format!("{} forbids what would; ", cause.name()));
    text.push_str(&format!(" {calm}hint{calm:#}: {cause}`salve doctor` says what to do\n"));
    text
}

fn load() -> Result<Agreements, Failure> {
    let Ok(path) = config_files::of_user(FILE) else { return Ok(Agreements::default()) };
    let Some(text) = config_files::read(&path)? else { return Ok(Agreements::default()) };
    toml::from_str(&text).map_err(|error| config_files::unusable(&path, &text, &error))
}

fn agree(workspace: &Path, open: &[Guarantee]) -> Result<(), Failure> {
    let mut agreements = load()?;
    let path = workspace.to_string_lossy().into_owned();
    agreements.workspaces.retain(|one| one.path != path);
    let without = open.iter().map(|one| one.name().to_owned()).collect();
    agreements.workspaces.push(Agreement { path, without });
    config_files::replace(FILE, &toml::to_string(&agreements)?)
}

fn is_agreed(agreements: &Agreements, workspace: &Path, open: &[Guarantee]) -> bool {
    let mut here = agreements.workspaces.iter().filter(|one| Path::new(&one.path) == workspace);
    here.any(|one| open.iter().all(|lacking| one.without.iter().any(|name| name == lacking.name())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agreement_counts_for_its_workspace_and_its_guarantees() {
        let text = "[[workspace]]\npath = '/a'\nwithout = ['no-survivor', 'limits']\n";
        let agreements: Agreements = toml::from_str(text).unwrap();
        let agreed = |path: &str, open: &[Guarantee]| is_agreed(&agreements, Path::new(path), open);
        assert!(agreed("/a", &[Guarantee::NoSurvivor]));
        assert!(agreed("/a", &[Guarantee::Limits, Guarantee::NoSurvivor]));
        assert!(!agreed("/a", &[Guarantee::NoSecrets, Guarantee::NoSurvivor]));
        assert!(!agreed("/b", &[Guarantee::NoSurvivor]));
        assert!(!agreed("/a/b", &[Guarantee::NoSurvivor]));
    }
}
