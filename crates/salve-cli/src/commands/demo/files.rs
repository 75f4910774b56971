//! The scenes of the demo that touch files, in a folder of their own.
//!
//! In: a temporary folder with five small files. Out: a stale edit blocked, an ambiguous one
//! refused with its candidates, an apply killed half-way and recovered, and all of it undone. Never
//! shows a canned answer, and never leaves the folder behind.

use super::dying_disk::DyingDisk;
use super::stage::{Shown, Stage};
use crate::failure::Failure;
use crate::workspace::meta;
use salve_check::run_own_executable;
use salve_engine::facts::GrammarProbe;
use salve_engine::host::OpenWorkspace;
use salve_engine::pipeline::{
    Applied, ApplyEnding, ApplyOptions, PipelineOptions, Review, apply_reply,
};
use salve_text::EditOptions;
use salve_tree::{
    AdmitOptions, ApplyOutcome, ContentHash, OnChanged, Origin, RewindOutcome, VerifyOptions,
    WorkspaceOptions, undo,
};
use salve_types::RawReply;
use serde_json::json;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How many files the killed apply has swapped in when it dies.
const SWAPPED_IN: usize = 2;
const NAMES: [&str; 5] = ["alpha", "beta", "gamma", "delta", "omega"];

/// Plays the scenes that touch files.
pub(super) fn play() -> Result<Vec<(&'static str, Shown)>, Failure> {
    let folder = tempfile::Builder::new().prefix("salve-demo-").tempdir()?;
    let place = Place { folder: folder.path() };
    place.reply(&five_files())?;
    let start = place.tree_hash()?;
    let scenes = vec![
        ("A stale edit", stale(&place)?),
        ("An ambiguous edit", ambiguous(&place)?),
        ("Five files, killed half-way", killed(&place)?),
        ("Undo of it all", undone(&place, &start)?),
    ];
    folder.close()?;
    Ok(scenes)
}

/// The process that is killed: applies five edits and does not survive it.
pub(crate) fn die_applying(folder: &Path) -> Result<(), Failure> {
    let disk = Arc::new(DyingDisk::after_swaps(SWAPPED_IN));
    let options = WorkspaceOptions { disk, ..WorkspaceOptions::default() };
    let _ = reply(&OpenWorkspace::open(folder, options)?, &five_edits())?;
    Ok(())
}

fn reply(workspace: &OpenWorkspace, text: &str) -> Result<Applied, Failure> {
    let options = ApplyOptions {
        edits: EditOptions::default(),
        pipeline: PipelineOptions::default(),
        admit: AdmitOptions::default(),
        verify: VerifyOptions { probe: &GrammarProbe, ..VerifyOptions::default() },
        meta: meta(Origin::Chat),
    };
    apply_reply(&RawReply::from_text(text), workspace, &options, |edits| Ok(Review::Apply(edits)))
}

fn stale(place: &Place<'_>) -> Result<Shown, Failure> {
    let mut stage = Stage::default();
    let seen = std::fs::read(place.folder.join("alpha.rs"))?;
    // Someone goes on working while the model thinks.
    place.reply(&edit("alpha", "1", "10"))?;
    let reply = json!({
        "fileHashes": { "alpha.rs": ContentHash::of(&seen).hex() },
        "fileChanges": [{ "path": "alpha.rs", "lineOperations": [{
            "op": "replace", "start": 2, "end": 2, "expected": "    1", "text": "    2",
        }]}],
    });
    stage.received(&reply.to_string());
    stage.says("meanwhile", "line 2 of alpha.rs became `    10`");
    stage.says("elsewhere", "the model's line is written over it");
    let before = place.tree_hash()?;
    let refusal = place.reply(&reply.to_string())?;
    let Played::Refused(words) = refusal else { return Ok(stage.end(false)) };
    stage.result(&first_lines(&words, 12));
    Ok(stage.end(place.tree_hash()? == before))
}

fn ambiguous(place: &Place<'_>) -> Result<Shown, Failure> {
    let mut stage = Stage::default();
    let reply = "beta.rs\n<<<<<<< SEARCH\n}\n=======\n}\n// done\n>>>>>>> REPLACE\n";
    stage.received(reply);
    stage.says("elsewhere", "the first match is taken");
    let before = place.tree_hash()?;
    let Played::Refused(words) = place.reply(reply)? else { return Ok(stage.end(false)) };
    stage.result(&first_lines(&words, 14));
    Ok(stage.end(place.tree_hash()? == before))
}

fn killed(place: &Place<'_>) -> Result<Shown, Failure> {
    let mut stage = Stage::default();
    let edits = five_edits();
    stage.received(&first_lines(&edits, 6));
    let before = place.tree_hash()?;
    let ended = place.start_the_dying_one()?;
    let changed = NAMES.iter().filter(|name| place.shows(name, "200")).count();
    stage.says("killed", &format!("{ended}, with {changed} of 5 files new"));
    let workspace = place.open()?;
    let recovered = place.tree_hash()? == before;
    stage.says("recover", crate::workspace::told(&workspace.recovery).trim_end());
    let state = if recovered { "all files as before" } else { "NOT as before" };
    stage.says("tree", &format!("{} {state}", short(&before)));
    let whole = matches!(place.reply(&edits)?, Played::Applied)
        && NAMES.iter().all(|name| place.shows(name, "200"));
    stage.says("again", "the same reply, not killed: 5 of 5 files new, one change");
    Ok(stage.end(changed == SWAPPED_IN && recovered && whole))
}

fn undone(place: &Place<'_>, start: &str) -> Result<Shown, Failure> {
    let mut stage = Stage::default();
    let workspace = place.open()?;
    for _ in 0..2 {
        let RewindOutcome::Moved(moved) =
            undo(&workspace.tree, OnChanged::Refuse, &meta(Origin::User))?
        else {
            return Ok(stage.end(false));
        };
        stage.says("undo", &moved.files.join(", "));
    }
    let now = place.tree_hash()?;
    stage.says("tree", &format!("{} at the beginning", short(start)));
    stage.says("tree", &format!("{} now", short(&now)));
    Ok(stage.end(now == start))
}

/// The outcome of a reply.
enum Played {
    Applied,
    Refused(String),
}

struct Place<'a> {
    folder: &'a Path,
}

impl Place<'_> {
    fn open(&self) -> Result<OpenWorkspace, Failure> {
        Ok(OpenWorkspace::open(self.folder, WorkspaceOptions::default())?)
    }

    fn reply(&self, text: &str) -> Result<Played, Failure> {
        Ok(match reply(&self.open()?, text)?.ending {
            ApplyEnding::Done(ApplyOutcome::Applied(_), _) => Played::Applied,
            ApplyEnding::Refused(refusal) => Played::Refused(refusal.message_for_model()),
            ApplyEnding::Done(other, _) => Played::Refused(format!("{other:?}")),
            ApplyEnding::Held(..) | ApplyEnding::Dropped => Played::Refused("held".to_owned()),
        })
    }

    // The hash over every name and content, in order.
    fn tree_hash(&self) -> Result<String, Failure> {
        let mut all = Vec::new();
        for name in NAMES {
            all.extend_from_slice(name.as_bytes());
            all.push(0);
            let content = std::fs::read(self.folder.join(format!("{name}.rs")))?;
            all.extend_from_slice(ContentHash::of(&content).hex().as_bytes());
        }
        Ok(ContentHash::of(&all).hex())
    }

    fn shows(&self, name: &str, words: &str) -> bool {
        std::fs::read_to_string(self.folder.join(format!("{name}.rs")))
            .is_ok_and(|text| text.contains(words))
    }

    fn start_the_dying_one(&self) -> Result<String, Failure> {
        let arguments = [OsStr::new("demo"), OsStr::new("--die-in"), self.folder.as_os_str()];
        let own = std::env::current_exe()?;
        Ok(run_own_executable(&own, arguments, Duration::from_secs(30))?.to_string())
    }
}

fn content(name: &str, number: &str) -> String {
    format!(
        "fn {name}() -> u32 {{\n    {number}\n}}\n\nfn {name}_twice() -> u32 {{\n    2 * {name}()\n}}\n"
    )
}

fn five_files() -> String {
    let add = |name: &&str| {
        let lines: String = content(name, "1").lines().map(|line| format!("+{line}\n")).collect();
        format!("*** Add File: {name}.rs\n{lines}")
    };
    format!("*** Begin Patch\n{}*** End Patch\n", NAMES.iter().map(add).collect::<String>())
}

fn edit(name: &str, from: &str, to: &str) -> String {
    format!("{name}.rs\n<<<<<<< SEARCH\n    {from}\n=======\n    {to}\n>>>>>>> REPLACE\n\n")
}

fn five_edits() -> String {
    let one = |name: &&str| edit(name, if **name == *"alpha" { "10" } else { "1" }, "200");
    NAMES.iter().map(one).collect()
}

fn first_lines(text: &str, count: usize) -> String {
    let mut shown: Vec<&str> = text.lines().take(count).collect();
    if text.lines().nth(count).is_some() {
        shown.push("…");
    }
    shown.join("\n")
}

fn short(hash: &str) -> &str {
    hash.get(..16).unwrap_or(hash)
}
