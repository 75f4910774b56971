//! What TypeScript's own language service would write for errors of tsc.
//!
//! In: diagnostics, and a runner that sees the files they are about. Out: the same diagnostics with the
//! service's code fixes as suggestions, and why there are none where the service could not be asked. tsc itself
//! prints none. Never writes, and never fails a check.

use super::invoke::text_of;
use crate::check::CheckOptions;
use crate::{
    Gate, Limits, Plan, ProtectedFileUse, RiskClass, RunClass, RunInput, RunPrograms, RunRequest,
};
use salve_types::{Applicability, Diagnostic, SourceSpan, Span, SuggestedEdit, Suggestion};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

const SCRIPT: &str = include_str!("scripts/typescript_fixes.js");
/// Errors of one project that the service is asked about.
const MOST_ERRORS: usize = 20;
/// Projects that it is asked about.
const MOST_PROJECTS: usize = 4;
const DEADLINE: Duration = Duration::from_secs(60);

#[derive(Serialize)]
struct Wanted {
    path: String,
    line: u32,
    column: u32,
    code: u32,
    #[serde(skip)]
    index: usize,
}

#[derive(Deserialize)]
struct ServiceFix {
    message: String,
    edits: Vec<ServiceEdit>,
}

#[derive(Deserialize)]
struct ServiceEdit {
    path: String,
    start: usize,
    end: usize,
    text: String,
}

/// Adds the code fixes of TypeScript's language service to the errors of tsc that have no suggestion yet.
/// Returns what a person should know: why the service said nothing of a project.
pub fn add_typescript_fixes(
    diagnostics: &mut [Diagnostic],
    root: &Path,
    options: &CheckOptions,
    runner: &dyn RunPrograms,
) -> Vec<String> {
    let mut failed = Vec::new();
    for (folder, wanted) in by_project(diagnostics, root, runner).into_iter().take(MOST_PROJECTS) {
        match ask(&wanted, &root.join(&folder), options, runner) {
            Ok(fixes) => {
                for (one, fixes) in wanted.iter().zip(fixes) {
                    let new = fixes.into_iter().filter_map(|fix| suggestion(fix, &folder));
                    diagnostics[one.index].suggestions.extend(new);
                }
            }
            Err(why) => failed.push(format!("no code fixes of TypeScript: {why}")),
        }
    }
    failed
}

// The errors of each folder that has a tsconfig.json, which is the nearest above the file.
fn by_project(
    diagnostics: &[Diagnostic],
    root: &Path,
    runner: &dyn RunPrograms,
) -> BTreeMap<String, Vec<Wanted>> {
    let mut projects: BTreeMap<String, Vec<Wanted>> = BTreeMap::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if diagnostic.tool != "tsc" || !diagnostic.suggestions.is_empty() {
            continue;
        }
        let code =
            diagnostic.code.as_deref().and_then(|code| code.strip_prefix("TS")?.parse().ok());
        let Some((code, span)) = code.zip(diagnostic.primary()) else { continue };
        let Some(start) = span.start else { continue };
        let Some(folder) = project_of(&span.path, root, runner) else { continue };
        let wanted = projects.entry(folder.to_owned()).or_default();
        if wanted.len() < MOST_ERRORS {
            let path = span.path[folder.len()..].trim_start_matches('/').to_owned();
            wanted.push(Wanted { path, line: start.line, column: start.column, code, index });
        }
    }
    projects
}

fn project_of<'a>(path: &'a str, root: &Path, runner: &dyn RunPrograms) -> Option<&'a str> {
    let mut folder = path;
    loop {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        if runner.locate(&root.join(folder).join("tsconfig.json")).is_some() {
            return Some(folder);
        }
        if folder.is_empty() {
            return None;
        }
    }
}

fn ask(
    wanted: &[Wanted],
    folder: &Path,
    options: &CheckOptions,
    runner: &dyn RunPrograms,
) -> Result<Vec<Vec<ServiceFix>>, String> {
    let question = serde_json::to_string(wanted).unwrap_or_default();
    let words = ["node", "-e", SCRIPT, &question].map(str::to_owned).to_vec();
    let request = RunRequest {
        plan: Plan::of_argv(words),
        cwd: folder.to_owned(),
        class: RunClass::Toolchain,
        risk: RiskClass::Build,
        gate: Gate::Toolchain { target: "tsc".to_owned() },
        by: options.by,
        limits: Limits { deadline: DEADLINE, ..Limits::of(RunClass::Toolchain) },
        environment: options.environment.clone(),
        input: RunInput::Nothing,
        protected: ProtectedFileUse::default(),
        ports: Vec::new(),
    };
    let finished = runner.run(&request).map_err(|error| error.to_string())?;
    serde_json::from_str(&text_of(&finished.stdout)).map_err(|_| {
        let said = text_of(&finished.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty());
        last.unwrap_or("its answer cannot be read").to_owned()
    })
}

fn suggestion(fix: ServiceFix, folder: &str) -> Option<Suggestion> {
    let edits: Option<Vec<SuggestedEdit>> =
        fix.edits.into_iter().map(|one| edit(one, folder)).collect();
    let edits = edits.filter(|edits| !edits.is_empty())?;
    Some(Suggestion { message: fix.message, applicability: Applicability::Unspecified, edits })
}

// Nothing for a file outside the project: that is a library's.
fn edit(edit: ServiceEdit, folder: &str) -> Option<SuggestedEdit> {
    let own = !edit.path.starts_with("../") && !edit.path.contains("node_modules/");
    let path = if folder.is_empty() { edit.path } else { format!("{folder}/{}", edit.path) };
    own.then(|| SuggestedEdit {
        span: SourceSpan {
            path,
            start: None,
            end: None,
            bytes: Some(Span::new(edit.start, edit.end.max(edit.start))),
            primary: true,
            label: None,
            line_text: None,
        },
        replacement: edit.text,
    })
}
