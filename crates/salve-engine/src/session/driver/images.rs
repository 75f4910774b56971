//! Images of a turn: begun, asked about, taken.
//!
//! In: what the request says about images, and what the calls came to. Out: an entry for every image, the events that
//! show them, and what they cost. An image that failed keeps its place. Never an image whose bytes are not in the store.

use super::super::images::{
    DrawnSet, GeneratedImage, ImageState, ImageWish, drawing_prompts, image_id, image_wish,
    needs_project,
};
use super::super::input::{DrawHelp, TurnDecision};
use super::super::machine::{DrawWish, TurnResult};
use super::super::reply::ChatAnswer;
use super::super::state::{SavedTurn, Waits};
use super::super::work::TurnWork;
use super::{EventName, TurnEvent, take};
use crate::heal::RepairError;
use salve_types::Spend;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// An image whose bytes are in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptImage {
    /// The id of its bytes.
    pub content: String,
    /// What they are.
    pub media_type: String,
    /// The prompt as the provider rewrote it.
    pub revised_prompt: Option<String>,
}

/// What one call came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DrawEnd {
    /// The prompt.
    pub prompt: String,
    /// How many were asked for.
    pub count: u32,
    /// What came.
    pub images: Vec<KeptImage>,
    /// What it took.
    pub spent: Spend,
    /// Who made them.
    pub model: Option<String>,
    /// Why there are fewer than asked for.
    pub why: Option<String>,
    /// Whether because a budget is used up.
    pub over_budget: bool,
}

/// Notes what a request says about images before its turn begins, and says what they will cost.
pub fn begin_drawing(saved: &mut SavedTurn, help: &DrawHelp) {
    let (ImageWish::Sure(asked) | ImageWish::Unsure(asked)) = image_wish(&saved.request) else {
        return;
    };
    let count = asked.clamp(1, help.most.max(1));
    saved.drawing = DrawnSet { count, asked, ..DrawnSet::default() };
    if saved.machine.draws() {
        say_started(saved, help);
    }
}

fn say_started(saved: &mut SavedTurn, help: &DrawHelp) {
    let DrawnSet { count, asked, .. } = saved.drawing;
    let cost = help.micro_dollars.map(|one| one.saturating_mul(u64::from(count)));
    let text = started_text(count, asked, cost);
    let payload = json!({ "text": text, "count": count, "asked": asked, "microDollars": cost });
    saved.effects.say(TurnEvent::new(EventName::ImagesStarted, payload));
}

fn started_text(count: u32, asked: u32, cost: Option<u64>) -> String {
    let images = if count == 1 { "1 image".to_owned() } else { format!("{count} images") };
    let most = if asked > count {
        format!(", the most of one request; {asked} were asked for")
    } else {
        String::new()
    };
    let cost = cost.map_or_else(String::new, |cost| format!(" (about ${:.2})", cost as f64 / 1e6));
    format!("🎨 Generating {images}{cost}{most}...")
}

/// Finds out from a person whether images are meant. Where none is there, the request is answered in words.
pub(super) fn intent(work: &TurnWork, saved: &mut SavedTurn) -> TurnResult {
    let Some(help) = work.input().help.draw.clone() else { return TurnResult::Meant(DrawWish::No) };
    saved.waits = None;
    match saved.decision.take() {
        Some(TurnDecision::Yes) => {
            say_started(saved, &help);
            let is_one = saved.drawing.count == 1 && !needs_project(&saved.request);
            TurnResult::Meant(if is_one { DrawWish::Direct } else { DrawWish::Prompted })
        }
        None if saved.attended => {
            let count = saved.drawing.count;
            let micro_dollars = help.micro_dollars.map(|one| one.saturating_mul(u64::from(count)));
            saved.waits = Some(Waits::Images { count, micro_dollars });
            TurnResult::Held
        }
        _ => TurnResult::Meant(DrawWish::No),
    }
}

/// Takes what the calls came to, in the order of the images. `job` and the moment name the images.
///
/// # Errors
/// Never, while the turn has images made.
pub fn take_drawn(
    saved: &mut SavedTurn,
    ends: Vec<DrawEnd>,
    raw: String,
    job: &str,
    now: u64,
) -> Result<(), RepairError> {
    let spent = ends.iter().fold(Spend::default(), |sum, end| sum.plus(end.spent));
    let nothing = ends.iter().all(|end| end.images.is_empty());
    let over_budget = nothing && ends.iter().any(|end| end.over_budget);
    saved.effects.micro_dollars = spent.micro_dollars;
    saved.effects.model = ends.iter().find_map(|end| end.model.clone());
    saved.why = ends.iter().find_map(|end| end.why.clone());
    if over_budget {
        return take(&mut saved.machine, TurnResult::NoAnswer { over_budget, spent });
    }
    saved.drawing.images = entries(ends, job, now);
    let contents = saved.drawing.images.iter().filter_map(|image| image.content.clone());
    saved.effects.held = contents.collect();
    (saved.effects.raw, saved.effects.partial) = (Some(raw), Some(false));
    saved.effects.result = serde_json::to_value(answer_of(&saved.drawing)).ok();
    let (made, missing) = saved.drawing.tally();
    let payload = json!({ "images": saved.drawing.images, "made": made, "missing": missing });
    saved.effects.say(TurnEvent::new(EventName::ImagesGenerated, payload));
    take(&mut saved.machine, TurnResult::Drawn { made, missing, spent })
}

fn entries(ends: Vec<DrawEnd>, job: &str, now: u64) -> Vec<GeneratedImage> {
    let mut images = Vec::new();
    for end in ends {
        let DrawEnd { prompt, count, images: kept, spent, why, .. } = end;
        let wanted = usize::try_from(count).unwrap_or(usize::MAX).max(kept.len());
        let each = spent.micro_dollars / u64::try_from(kept.len().max(1)).unwrap_or(1);
        let mut kept = kept.into_iter();
        for _ in 0..wanted {
            let id = image_id(now, &format!("{job}:{}", images.len()));
            let image = GeneratedImage {
                id,
                original_prompt: prompt.clone(),
                timestamp: now,
                ..GeneratedImage::default()
            };
            images.push(match kept.next() {
                Some(kept) => GeneratedImage {
                    url: Some(GeneratedImage::stored_at(&kept.content)),
                    content: Some(kept.content),
                    media_type: Some(kept.media_type),
                    revised_prompt: kept.revised_prompt,
                    micro_dollars: each,
                    ..image
                },
                None => GeneratedImage { state: ImageState::Failed, why: why.clone(), ..image },
            });
        }
    }
    images
}

/// Returns the answer of a turn whose answer are images.
pub(super) fn answer_of(drawing: &DrawnSet) -> ChatAnswer {
    let (made, missing) = drawing.tally();
    let images =
        |count: u32| if count == 1 { "1 image".to_owned() } else { format!("{count} images") };
    let summary = match (made, missing) {
        (0, 0) => None,
        (made, 0) => Some(format!("Made {}.", images(made))),
        (made, missing) => {
            Some(format!("Made {}; {} could not be made.", images(made), images(missing)))
        }
    };
    ChatAnswer { summary, generated_images: drawing.images.clone(), ..ChatAnswer::default() }
}

/// Returns what is asked for in each call of a turn.
pub(crate) fn calls_of(saved: &SavedTurn) -> Vec<(String, u32)> {
    drawing_prompts(&saved.request, saved.drawing.count, &saved.drawing.prompts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(content: &str) -> KeptImage {
        KeptImage {
            content: content.to_owned(),
            media_type: "image/png".to_owned(),
            revised_prompt: None,
        }
    }

    #[test]
    fn c233_the_notice_names_number_cost_and_cap() {
        assert_eq!(started_text(4, 4, Some(280_000)), "🎨 Generating 4 images (about $0.28)...");
        assert_eq!(started_text(1, 1, None), "🎨 Generating 1 image...");
        let capped = started_text(8, 100, Some(560_000));
        assert!(
            capped.contains("about $0.56") && capped.contains("100 were asked for"),
            "{capped}"
        );
    }

    #[test]
    fn c242_a_failed_image_keeps_its_place_among_the_others() {
        let good = |prompt: &str| DrawEnd {
            prompt: prompt.to_owned(),
            count: 1,
            images: vec![kept(prompt)],
            spent: Spend { tokens: 0, micro_dollars: 70_000 },
            ..DrawEnd::default()
        };
        let bad = DrawEnd {
            prompt: "b".to_owned(),
            count: 1,
            why: Some("refused".to_owned()),
            ..DrawEnd::default()
        };
        let set = DrawnSet {
            images: entries(vec![good("a"), bad, good("c"), good("d")], "j", 7),
            ..DrawnSet::default()
        };
        assert_eq!(set.tally(), (3, 1));
        let failed = &set.images[1];
        assert_eq!((failed.state, failed.original_prompt.as_str()), (ImageState::Failed, "b"));
        assert_eq!(failed.why.as_deref(), Some("refused"));
        let ids: std::collections::BTreeSet<&str> =
            set.images.iter().map(|image| image.id.as_str()).collect();
        assert_eq!(ids.len(), 4);
        let summary = answer_of(&set).summary.unwrap();
        assert_eq!(summary, "Made 3 images; 1 image could not be made.");
    }

    #[test]
    fn c234_one_call_with_fewer_images_than_asked_leaves_places_for_the_others() {
        let end = DrawEnd {
            prompt: "icons".to_owned(),
            count: 4,
            images: vec![kept("1"), kept("2")],
            spent: Spend { tokens: 0, micro_dollars: 140_000 },
            ..DrawEnd::default()
        };
        let images = entries(vec![end], "j", 7);
        let costs: Vec<u64> = images.iter().map(|image| image.micro_dollars).collect();
        assert_eq!(costs, [70_000, 70_000, 0, 0]);
    }
}
