//! `salve sessions images`: the images of a session listed, saved in its workspace, or made again.
//!
//! In: a session, and which of its images. Out: what they are and where they were saved. Saving is one change set, which
//! `salve undo` takes back; making one again asks the model for images, and is paid once. Never overwrites a file.

use super::find;
use crate::arguments::{FolderArguments, Format, PlaceArguments, SessionsImagesArguments};
use crate::change::visible;
use crate::chat_settings::draw_help;
use crate::commands::chat::TurnSettings;
use crate::failure::{CommandResult, Ending, Failure};
use crate::heal_host::CommandHost;
use crate::settings::Settings;
use crate::{job_place, output};
use salve_engine::session::{
    Conversation, GeneratedImage, ImageState, RedrawOrder, combined_prompt,
};
use salve_store::SessionRecord;
use salve_types::SpendLimit;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Runs `salve sessions images`.
pub(super) fn run(
    store: &PlaceArguments,
    place: &FolderArguments,
    options: &SessionsImagesArguments,
    format: Format,
) -> CommandResult {
    job_place::with(store, "images", async |open| {
        let session = find(open.store(), place, Some(&options.id)).await?;
        let environment = TurnSettings::unasked()?.environment;
        let talk = open.conversation(Arc::new(CommandHost { environment }))?;
        if let Some(image) = &options.regenerate {
            return again(&talk, &session, image, options, format).await;
        }
        match &options.save_to {
            Some(folder) => save(&talk, &session, folder, &options.images, format).await,
            None => list(&talk, &session, format).await,
        }
    })
}

async fn list(talk: &Conversation, session: &SessionRecord, format: Format) -> CommandResult {
    let images = talk.images(&session.id).await?;
    match format {
        Format::Human if images.is_empty() => output::result("no images\n")?,
        Format::Human => output::result(&images.iter().map(drawn).collect::<String>())?,
        _ => {
            let images: Vec<Value> =
                images.iter().map(|(turn, image)| with_turn(*turn, image)).collect();
            output::values(format, &images)?;
        }
    }
    Ok(Ending::Clean)
}

async fn save(
    talk: &Conversation,
    session: &SessionRecord,
    folder: &str,
    named: &[String],
    format: Format,
) -> CommandResult {
    let all = talk.images(&session.id).await?;
    if let Some(unknown) = named.iter().find(|id| !all.iter().any(|(_, image)| image.id == **id)) {
        return Err(Failure::new(format!("the session has no image {}", visible(unknown)))
            .hint(format!("`salve sessions images {}` lists them.", session.id)));
    }
    let is_there = |image: &GeneratedImage| image.state == ImageState::Made;
    let chosen = all.iter().any(|(_, image)| image.selected && is_there(image));
    let meant = |image: &GeneratedImage| match named.is_empty() {
        true => image.selected || !chosen,
        false => named.contains(&image.id),
    };
    let images: Vec<(u32, GeneratedImage)> =
        all.into_iter().filter(|(_, image)| is_there(image) && meant(image)).collect();
    let saved =
        talk.save_images(&session.id, Path::new(&session.workspace), folder, &images).await?;
    match format {
        Format::Human => {
            let files: String =
                saved.files.iter().map(|file| format!("{}\n", visible(file))).collect();
            output::result(&files)?;
            let count = output::counted(saved.files.len(), "image");
            output::story(&format!(
                "saved {count}; `salve undo` takes {} back\n",
                visible(&saved.change)
            ));
        }
        _ => output::value(format, &json!({ "change": saved.change, "files": saved.files }))?,
    }
    Ok(Ending::Clean)
}

async fn again(
    talk: &Conversation,
    session: &SessionRecord,
    id: &str,
    options: &SessionsImagesArguments,
    format: Format,
) -> CommandResult {
    let help = draw_help(&Settings::load()?.models.settings);
    let help = help.ok_or_else(|| {
        Failure::new("no model here makes images")
            .hint("Name one as `image` in `[roles]`; see docs/models.md.")
    })?;
    let (turn, image) = talk.image(&session.id, id).await?;
    let prompt = options.prompt.as_deref().unwrap_or(&image.original_prompt);
    let prompt = combined_prompt(prompt, options.add.as_deref().unwrap_or_default());
    if prompt.is_empty() {
        return Err(
            Failure::new("nothing says what the image is to show").hint("`--prompt TEXT` does.")
        );
    }
    let order = RedrawOrder {
        session: session.id.clone(),
        image: id.to_owned(),
        prompt,
        model: help.model,
        budget: SpendLimit::default(),
    };
    let image = talk.redraw(order).await?;
    match format {
        Format::Human => output::result(&drawn(&(turn, image)))?,
        _ => output::value(format, &with_turn(turn, &image))?,
    }
    Ok(Ending::Clean)
}

fn with_turn(turn: u32, image: &GeneratedImage) -> Value {
    let mut value = json!(image);
    value["turn"] = json!(turn);
    value
}

fn drawn((turn, image): &(u32, GeneratedImage)) -> String {
    let mark = match (image.state, image.selected) {
        (ImageState::Failed, _) => "✗",
        (ImageState::Made, true) => "☑",
        (ImageState::Made, false) => "☐",
    };
    let why = image.why.as_deref().map(|why| format!(" ({})", visible(why))).unwrap_or_default();
    format!(
        "{mark} {}  turn {turn}  {}{why}\n",
        visible(&image.id),
        visible(&image.original_prompt)
    )
}
