//! The images of a turn, as they are kept and shown.
//!
//! In: what became of each call. Out: one entry for each image, in its place; one that could not be made has an entry
//! too, so that it can be tried again. Never the bytes: those are in the store, by their hash.

use serde::{Deserialize, Serialize};

/// What became of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageState {
    /// It is there.
    #[default]
    Made,
    /// It could not be made.
    Failed,
}

/// An image that a turn made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GeneratedImage {
    /// Its name: `img-<ms>-<rand>`.
    pub id: String,
    /// The prompt it was asked for by.
    pub original_prompt: String,
    /// The prompt as the provider rewrote it.
    pub revised_prompt: Option<String>,
    /// Where its bytes are: in the store, because a provider's address expires.
    pub url: Option<String>,
    /// When it was made, in milliseconds.
    pub timestamp: u64,
    /// Whether a person chose it.
    pub selected: bool,
    /// What became of it.
    pub state: ImageState,
    /// The id of its bytes in the store.
    pub content: Option<String>,
    /// What its bytes are.
    pub media_type: Option<String>,
    /// What it cost, in millionths of a dollar.
    pub micro_dollars: u64,
    /// Why it could not be made, or made again.
    pub why: Option<String>,
}

/// The images of a turn while they are made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DrawnSet {
    /// How many are made.
    pub count: u32,
    /// How many were asked for, where that is more.
    pub asked: u32,
    /// The prompts that another model wrote.
    pub prompts: Vec<String>,
    /// The images, in order.
    pub images: Vec<GeneratedImage>,
}

impl DrawnSet {
    /// Counts those that are there and those that are not.
    #[must_use]
    pub fn tally(&self) -> (u32, u32) {
        let made = self.images.iter().filter(|image| image.state == ImageState::Made).count();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (number(made), number(self.images.len() - made))
    }
}

impl GeneratedImage {
    /// Returns the address of bytes that the store has.
    #[must_use]
    pub fn stored_at(content: &str) -> String {
        format!("salve-image:{content}")
    }
}

/// Names an image: by the moment, and by what it is the only one of.
#[must_use]
pub fn image_id(now: u64, about: &str) -> String {
    let hash = blake3::hash(about.as_bytes()).to_hex();
    format!("img-{now}-{}", hash.get(..6).unwrap_or_default())
}

/// Joins the prompt of an image with what a person adds to it.
#[must_use]
pub fn combined_prompt(prompt: &str, refinement: &str) -> String {
    let (prompt, refinement) = (prompt.trim(), refinement.trim());
    match (prompt.is_empty(), refinement.is_empty()) {
        (_, true) => prompt.to_owned(),
        (true, _) => refinement.to_owned(),
        _ => format!("{}, {refinement}", prompt.trim_end_matches(['.', ',', ' '])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c239_an_image_has_the_fields_of_the_documents() {
        let image = GeneratedImage {
            id: image_id(1_703_123_456_789, "job:1"),
            original_prompt: "Create a minimalist app icon".to_owned(),
            timestamp: 1_703_123_456_789,
            ..GeneratedImage::default()
        };
        assert!(image.id.starts_with("img-1703123456789-") && image.id.len() == 24);
        assert_ne!(image.id, image_id(1_703_123_456_789, "job:2"));
        let written = serde_json::to_value(&image).unwrap();
        for field in ["id", "originalPrompt", "revisedPrompt", "url", "timestamp", "selected"] {
            assert!(written.get(field).is_some(), "{field}");
        }
        assert_eq!(serde_json::from_value::<GeneratedImage>(written).unwrap(), image);
    }

    #[test]
    fn c237_a_refinement_is_added_to_the_prompt() {
        assert_eq!(
            combined_prompt("A blue icon.", "make it darker"),
            "A blue icon, make it darker"
        );
        assert_eq!(combined_prompt("A blue icon.", "  "), "A blue icon.");
        assert_eq!(combined_prompt("", "a red one"), "a red one");
    }
}
