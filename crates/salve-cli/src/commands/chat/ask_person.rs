//! Asks the person at the terminal about edits and commands that wait.
//!
//! In: a turn whose edits or command wait. Out: yes, no, or nothing when the terminal is gone. An entry that is
//! to be remembered is written into the user's own list. Never takes silence for a yes.

use super::follow::Chat;
use crate::change;
use crate::failure::Failure;
use crate::keys::{Keys, Offer};
use crate::review_keys::ReviewKeys;
use crate::{output, workspace_config};
use anstyle::{AnsiColor, Style};
use salve_check::{Choice, RiskClass, entries_to_add, show_entries};
use salve_engine::facts::{CommandPaths, RepositoryFacts, judge_line};
use salve_engine::host::Place;
use salve_engine::session::{
    FileChoice, HeldHunk, HeldKind, HunkChoice, PauseReason, TurnDecision, TurnResume, held_edits,
    run_all_label,
};
use salve_store::TurnRecord;
use salve_tree::Root;
use std::collections::BTreeSet;

/// Shows the edits of a turn, one hunk after the other, and asks which are applied.
pub(super) async fn about_edits(
    chat: &Chat<'_>,
    turn: &TurnRecord,
) -> Result<Option<TurnDecision>, Failure> {
    output::transient("");
    let hunks = held_edits(chat.open.store(), &turn.session, turn.index).await?;
    let Some(keys) = Keys::of_person() else { return Ok(None) };
    let mut review = ReviewKeys::new(keys);
    let mut choice = HunkChoice::default();
    for hunk in &hunks {
        if review.takes(&hunk.path, || drawn(hunk))? {
            let taken = choice.files.entry(hunk.path.clone());
            if let FileChoice::Hunks(ids) = taken.or_insert(FileChoice::Hunks(BTreeSet::new())) {
                ids.insert(hunk.id.clone());
            }
        }
    }
    Ok(Some(match choice.files.is_empty() {
        true => TurnDecision::No,
        false => TurnDecision::Hunks(choice),
    }))
}

fn drawn(hunk: &HeldHunk) -> String {
    let cyan = AnsiColor::Cyan.on_default();
    let what = match hunk.kind {
        HeldKind::Create => "new file ",
        HeldKind::Delete => "deleted file ",
        HeldKind::Change | HeldKind::Other => "",
    };
    let mut text = format!(
        "{what}{}\n{cyan}@@ -{},{} +{},{} @@{cyan:#}\n",
        change::visible(&hunk.path),
        hunk.old_first_line,
        hunk.old_lines,
        hunk.new_first_line,
        hunk.new_lines
    );
    for line in hunk.text.lines() {
        let style = match line.chars().next() {
            Some('-') => AnsiColor::Red.on_default(),
            Some('+') => AnsiColor::Green.on_default(),
            _ => Style::new(),
        };
        text.push_str(&format!("{style}{}{style:#}\n", change::visible(line)));
    }
    if hunk.cut {
        text.push_str("… the rest is not shown\n");
    }
    text
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

/// Asks whether images are meant, and says what they cost.
pub(super) fn about_images(
    count: u32,
    micro_dollars: Option<u64>,
) -> Result<Option<TurnDecision>, Failure> {
    output::transient("");
    let images = output::counted(usize::try_from(count).unwrap_or(usize::MAX), "image");
    let cost = micro_dollars.map(|cost| format!(", about ${:.2}", cost as f64 / 1e6));
    let bold = anstyle::Style::new().bold();
    output::story(&format!(
        "should that be {images}{}?\n{bold}[i]{bold:#} Make {images}   {bold}[s]{bold:#} Answer in words\n",
        cost.unwrap_or_default()
    ));
    let Some(keys) = Keys::of_person() else { return Ok(None) };
    let offers = [Offer { key: 'i', words: "make images", lasts: false }];
    let is_meant = keys.ask(&offers)?.is_some();
    Ok(Some(if is_meant { TurnDecision::Yes } else { TurnDecision::No }))
}

/// Asks whether the commands that are left run: all that are on the list, one by one, or none.
pub(super) fn about_commands(
    commands: &[String],
    why: &PauseReason,
) -> Result<Option<TurnResume>, Failure> {
    output::transient("");
    let mut text = format!("{}\n", change::visible(&why.in_words()));
    for command in commands {
        text.push_str(&format!("  🖥️ {}\n", change::visible(command)));
    }
    let bold = anstyle::Style::new().bold();
    text.push_str(&format!("{bold}[r]{bold:#} {}", run_all_label(commands.len())));
    let mut offers = vec![Offer { key: 'r', words: "run those on the list", lasts: false }];
    if *why == PauseReason::NotAllowed {
        text.push_str(&format!("   {bold}[o]{bold:#} One by one"));
        offers.push(Offer { key: 'o', words: "ask about each", lasts: false });
    }
    output::story(&format!("{text}   {bold}[s]{bold:#} {}\n", Choice::Skip.label()));
    let Some(keys) = Keys::of_person() else { return Ok(None) };
    let decision = match keys.ask(&offers)? {
        Some('r') => Some(TurnDecision::Yes),
        Some(_) => None,
        None => Some(TurnDecision::No),
    };
    Ok(Some(TurnResume { decision, attended: true, ..TurnResume::default() }))
}
