//! Asks the person at the terminal about edits and commands that wait.
//!
//! In: a turn whose edits or command wait. Out: yes, no, or nothing when the terminal is gone. An entry that is
//! to be remembered is written into the user's own list. Never takes silence for a yes.

use super::follow::Chat;
use crate::change;
use crate::failure::Failure;
use crate::keys::{Keys, Offer};
use crate::{output, workspace, workspace_config};
use salve_check::{Choice, RiskClass, entries_to_add, show_entries};
use salve_engine::facts::{CommandPaths, GrammarProbe, RepositoryFacts, judge_line};
use salve_engine::host::{OpenWorkspace, Place};
use salve_engine::pipeline::{ApplyEnding, ApplyOptions, PipelineOptions, Review, apply_reply};
use salve_engine::session::TurnDecision;
use salve_store::TurnRecord;
use salve_text::EditOptions;
use salve_tree::{AdmitOptions, Origin, Root, TreeError, VerifyOptions, WorkspaceOptions};
use salve_types::RawReply;

/// Shows the edits of a turn, and asks whether they are applied.
pub(super) async fn about_edits(
    chat: &Chat<'_>,
    turn: &TurnRecord,
) -> Result<Option<TurnDecision>, Failure> {
    output::transient("");
    let store = chat.open.store();
    let now = store.turn(&turn.session, turn.index).await?;
    let text = match now.and_then(|turn| turn.raw) {
        Some(id) => store.text(&id).await?,
        None => None,
    };
    output::story_as_drawn(&drawn(chat.place, &text.unwrap_or_default())?);
    let Some(keys) = Keys::of_person() else { return Ok(None) };
    let bold = anstyle::Style::new().bold();
    output::story(&format!("{bold}[a]{bold:#} Apply   {bold}[s]{bold:#} Skip\n"));
    let apply = Offer { key: 'a', words: "apply them", lasts: false };
    let taken = keys.ask(&[apply])?;
    Ok(Some(if taken.is_some() { TurnDecision::Yes } else { TurnDecision::No }))
}

// What would change, without changing it.
fn drawn(place: &Place, text: &str) -> Result<String, Failure> {
    let workspace = OpenWorkspace::open_at(place, WorkspaceOptions::default())?;
    let options = ApplyOptions {
        edits: EditOptions::default(),
        pipeline: PipelineOptions::default(),
        admit: AdmitOptions::default(),
        verify: VerifyOptions { probe: &GrammarProbe, ..VerifyOptions::default() },
        meta: workspace::meta(Origin::Chat),
    };
    let raw = RawReply::from_text(text);
    let hold = |verified| Ok::<_, TreeError>(Review::Hold(verified));
    Ok(match apply_reply(&raw, &workspace, &options, hold)?.ending {
        ApplyEnding::Held(verified, _) => change::plan(&verified),
        _ => String::new(),
    })
}

/// Asks whether a command runs; where an entry would allow it from now on, that is offered too.
pub(super) fn about_command(
    place: &Place,
    command: &str,
    why: &str,
) -> Result<Option<TurnDecision>, Failure> {
    output::transient("");
    let configured = workspace_config::open(&place.root)?;
    let root = Root::open(&place.root)?;
    let rules = &configured.workspace.policy;
    let judged = judge_line(command, rules, &root, &place.here);
    let paths = CommandPaths::from_here(&root, &judged.here);
    let repository = RepositoryFacts::of(&place.root.join(&judged.here));
    let entries = entries_to_add(&judged.line, RiskClass::Write, rules, &paths, &repository);
    let entries = entries.unwrap_or_default();
    let line = change::visible(command);
    output::story(&format!("run `{line}`? {}\n", change::visible(why)));
    let Some(keys) = Keys::of_person() else { return Ok(None) };
    let bold = anstyle::Style::new().bold();
    let mut offers = vec![Offer { key: 'r', words: "run it once", lasts: false }];
    let mut shown = format!("{bold}[r]{bold:#} {}", Choice::RunOnce.label());
    if !entries.is_empty() {
        let words = "add it for this workspace, and run it";
        offers.push(Offer { key: 'a', words, lasts: true });
        let added = change::visible(&show_entries(&entries));
        shown.push_str(&format!("   {bold}[a]{bold:#} {} ({added})", Choice::AddAndRun.label()));
    }
    output::story(&format!("{shown}   {bold}[s]{bold:#} {}\n", Choice::Skip.label()));
    Ok(Some(match keys.ask(&offers)? {
        Some('a') => {
            workspace_config::approve(&place.root, entries)?;
            TurnDecision::Yes
        }
        Some(_) => TurnDecision::Yes,
        None => TurnDecision::No,
    }))
}
