//! The images of a turn: chosen, enlarged, made again, saved.
//!
//! In: a turn. Out: its gallery, with the same controls for one image as for many; a tile to try again for each that could
//! not be made; the question where it is not plain that images are meant. Never an address of anybody else: images come
//! from this server.

use super::action;
use super::data::{ImageQuestion, TurnView};
use crate::workbench::view::chart::dollars;
use crate::workbench::view::parts::short;
use maud::{Markup, html};
use salve_engine::session::{GeneratedImage, ImageState};
use serde_json::json;

/// The folder that is proposed.
const FOLDER: &str = "images";

/// Draws the images of a turn, or their empty place.
pub fn image_gallery(turn: &TurnView) -> Markup {
    let id = format!("t{}-images", turn.number);
    let images = turn.answer.as_ref().map_or(&[][..], |answer| &answer.generated_images);
    html! {
        div id=(id) {
            @if let Some(question) = &turn.image_question { (asked(question)) }
            @if !images.is_empty() { (gallery(turn, images)) }
        }
    }
}

fn asked(question: &ImageQuestion) -> Markup {
    let act = |choice: &str| {
        action("runCommand", json!({ "approval": question.approval, "choice": choice }))
    };
    let images = counted(question.count);
    html! {
        div.notice.wait role="group" aria-label="Images?" {
            p.title { "Should that be " (images) "?" }
            @if let Some(cost) = question.micro_dollars { p { "It costs about " (dollars(cost)) "." } }
            div.actions {
                button.small.primary type="button" data-act=(act("once")) { "🎨 Make " (images) }
                button.small type="button" data-act=(act("skip")) { "Answer in words" }
            }
        }
    }
}

fn counted(count: u32) -> String {
    if count == 1 { "1 image".to_owned() } else { format!("{count} images") }
}

fn gallery(turn: &TurnView, images: &[GeneratedImage]) -> Markup {
    let made = images.iter().filter(|image| image.state == ImageState::Made).count();
    let title = format!("t{}-gallery", turn.number);
    html! {
        section.gallery aria-labelledby=(title) data-turn=(turn.number) {
            header {
                h3 id=(title) { "🎨 Generated Images (" (made) ")" }
                @if made > 0 {
                    div.actions {
                        label { "Folder " input type="text" name="folder" value=(FOLDER) autocomplete="off" spellcheck="false"; }
                        button.small type="button" data-images="save" { "💾 Save Selected" }
                    }
                }
            }
            ul.tiles {
                @for (at, image) in images.iter().enumerate() { (tile(turn, at, image)) }
            }
            @if made > 0 { p.dim { "Hover to enlarge • Click to view full size" } }
            @if !turn.saved_images.is_empty() {
                p.good role="status" { "✓ Saved: " @for file in &turn.saved_images { code { (file) } " " } }
            }
        }
    }
}

fn tile(turn: &TurnView, at: usize, image: &GeneratedImage) -> Markup {
    let number = at + 1;
    let dialog = format!("t{}-redraw-{number}", turn.number);
    html! {
        li.tile .failed[image.state == ImageState::Failed] {
            @if let Some(content) = image.content.as_deref().filter(|_| image.state == ImageState::Made) {
                // The bytes of an address never change: one that was made again has another.
                @let source = format!("/api/v1/sessions/{}/images/{}?of={content}", turn.session, image.id);
                label.pick {
                    input type="checkbox" data-image=(image.id) checked[image.selected];
                    span.unseen { "Select image " (number) }
                }
                a href=(source) target="_blank" rel="noopener" title=(image.original_prompt) {
                    img src=(source) alt={ "Image " (number) ": " (short(&image.original_prompt, 120)) } loading="lazy" width="256" height="256";
                }
            } @else {
                p.why role="note" { "⚠️ This image could not be made." }
            }
            @if let Some(why) = &image.why { p.why { (short(why, 240)) } }
            button.small type="button" data-images="open" data-dialog=(dialog) aria-label={
                @if image.state == ImageState::Failed { "Retry image " (number) } @else { "Regenerate image " (number) }
            } { "↺" }
            (redraw_dialog(&dialog, image))
        }
    }
}

fn redraw_dialog(id: &str, image: &GeneratedImage) -> Markup {
    html! {
        dialog.redraw id=(id) aria-labelledby={ (id) "-title" } data-image=(image.id) {
            header {
                h2 id={ (id) "-title" } { "🔄 Regenerate Image" }
                button.small.quiet type="button" data-do="close" aria-label="Close" { "✕" }
            }
            label { "Original Prompt:" textarea name="prompt" rows="4" { (image.original_prompt) } }
            label { "💡 Edit the prompt above or add to it below:" textarea name="refinement" rows="2" {} }
            div.actions {
                button type="button" data-do="close" { "Cancel" }
                button.primary type="button" data-images="redraw" { "🎨 Regenerate" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use salve_engine::session::ChatAnswer;

    fn image(id: &str, state: ImageState) -> GeneratedImage {
        GeneratedImage {
            id: id.to_owned(),
            original_prompt: format!("<b>{id}</b>"),
            content: (state == ImageState::Made).then(|| "abc".to_owned()),
            state,
            ..GeneratedImage::default()
        }
    }

    fn drawn(images: Vec<GeneratedImage>) -> String {
        let answer = ChatAnswer { generated_images: images, ..ChatAnswer::default() };
        let turn = TurnView {
            number: 3,
            session: "s".to_owned(),
            answer: Some(answer),
            ..TurnView::default()
        };
        image_gallery(&turn).into_string()
    }

    #[test]
    fn c236_a_gallery_has_the_words_and_controls_of_the_documents() {
        let four = (1..=4).map(|at| image(&format!("img-{at}"), ImageState::Made)).collect();
        let html = drawn(four);
        for words in [
            "🎨 Generated Images (4)",
            "💾 Save Selected",
            "Hover to enlarge • Click to view full size",
        ] {
            assert!(html.contains(words), "{words}");
        }
        assert_eq!(html.matches("type=\"checkbox\"").count(), 4);
        assert_eq!(html.matches(">↺<").count(), 4);
        assert!(html.contains("src=\"/api/v1/sessions/s/images/img-1?of=abc\""));
        assert!(!html.contains("<b>img-1"), "a prompt is text");
    }

    #[test]
    fn c237_the_popup_has_the_prompt_and_a_field_for_more() {
        let html = drawn(vec![image("img-1", ImageState::Made)]);
        for words in [
            "🔄 Regenerate Image",
            "Original Prompt:",
            "💡 Edit the prompt above or add to it below:",
            "Cancel",
            "🎨 Regenerate",
        ] {
            assert!(html.contains(words), "{words}");
        }
        assert!(html.contains("&lt;b&gt;img-1&lt;/b&gt;</textarea>"));
    }

    #[test]
    fn c241_one_image_has_the_same_controls() {
        let html = drawn(vec![image("img-1", ImageState::Made)]);
        assert!(html.contains("🎨 Generated Images (1)") && html.contains("💾 Save Selected"));
        assert!(html.contains("type=\"checkbox\"") && html.contains("Regenerate image 1"));
    }

    #[test]
    fn c242_three_of_four_are_shown_with_a_tile_to_try_again() {
        let mut images: Vec<GeneratedImage> =
            (1..=3).map(|at| image(&format!("img-{at}"), ImageState::Made)).collect();
        images.insert(
            1,
            GeneratedImage {
                why: Some("refused".to_owned()),
                ..image("img-x", ImageState::Failed)
            },
        );
        let html = drawn(images);
        assert!(html.contains("🎨 Generated Images (3)"));
        assert_eq!(html.matches("<img ").count(), 3);
        assert_eq!(html.matches("Retry image 2").count(), 1);
        assert!(html.contains("refused"));
    }

    #[test]
    fn c232_where_it_is_not_plain_the_page_asks() {
        let question =
            ImageQuestion { count: 1, micro_dollars: Some(70_000), approval: "h".to_owned() };
        let turn = TurnView { number: 1, image_question: Some(question), ..TurnView::default() };
        let html = image_gallery(&turn).into_string();
        assert!(html.contains("Should that be 1 image?") && html.contains("Answer in words"));
    }
}
