//! Whether a continuation belongs to the partial text at all.
//!
//! In: both texts, later the join that would be made. Out: a reason to refuse, or nothing. Never
//! refuses for style: talk, another file, or the same file from its beginning are the reasons.

use super::candidate::Candidate;
use super::lines::lines;
use super::prose;
use super::seam::Vocabulary;
use super::stitch::{DropReason, Place, RefusalReason};
use salve_types::Language;

type Refusal = Option<(RefusalReason, &'static str)>;

/// Refuses what can be told from the continuation alone.
pub(crate) fn refusal(partial: &str, content: &str, place: Place, _language: Language) -> Refusal {
    if is_talk(content, place) {
        return Some((
            RefusalReason::Unrelated,
            "the continuation is talk, not the rest of the text",
        ));
    }
    if starts_over(partial, content) {
        return Some((
            RefusalReason::RestartedFromBeginning,
            "the continuation starts over from the beginning, and not in the same words",
        ));
    }
    None
}

/// Refuses what can be told from the join that would be made.
pub(crate) fn refusal_after(
    partial: &str,
    content: &str,
    _joined: &str,
    candidate: &Candidate,
    _language: Language,
) -> Refusal {
    let echoed = candidate.reason.is_some_and(|reason| reason != DropReason::LineBreak);
    if !echoed && is_other_file(partial, content) {
        return Some((RefusalReason::Unrelated, "the continuation is the start of another text"));
    }
    None
}

fn is_talk(content: &str, place: Place) -> bool {
    let mut sentences = content.lines().filter(|line| !line.trim().is_empty());
    let all_prose = sentences.by_ref().all(prose::is_prose);
    match place {
        Place::Code => all_prose && (prose::is_refusal(content) || content.trim().contains(' ')),
        Place::Words => all_prose && prose::is_refusal(content),
    }
}

// The first lines of both texts are the same or nearly so, but the whole partial is not repeated.
fn starts_over(partial: &str, content: &str) -> bool {
    const COMPARED: usize = 12;
    let bare = partial.trim_end();
    if content.trim_start().starts_with(bare.trim_start()) {
        return false;
    }
    let significant = |text: &str| -> Vec<String> {
        lines(text)
            .map(|line| line.of(text).trim().to_owned())
            .filter(|line| line.chars().filter(|sign| sign.is_alphanumeric()).count() >= 4)
            .take(COMPARED)
            .collect()
    };
    let (first, again) = (significant(partial), significant(content));
    if first.len() < 3 || again.len() < 3 {
        return false;
    }
    // The last line of a short partial may be half of what stands in the continuation.
    let pairs = first.len().min(again.len());
    let same = again.iter().take(pairs).filter(|line| first.contains(line)).count();
    first[0] == again[0] && same * 10 >= pairs * 6
}

fn is_other_file(partial: &str, content: &str) -> bool {
    let known = Vocabulary::words_in(partial);
    let told = Vocabulary::words_in(content);
    let shared = told.iter().filter(|word| known.contains(*word)).count();
    known.len() >= 10 && told.len() >= 12 && shared * 100 < told.len() * 8
}
