//! The images of a session, for every face: found, chosen, made again, saved.
//!
//! In: their names, and what a person wants of them. Out: entries and bytes; a new image in the place of an old one; files
//! of the workspace in one change set. Making one again is a job of its own, paid once: the same wish again after a crash
//! goes on with it. Never deletes the bytes of an image that was replaced: another session may have forked from it.

use super::{Conversation, ConversationError, running};
use crate::heal::{HealLock, Locking, RepairError};
use crate::jobs::{IMAGE_FLOW, ImageInput, ImagePlace, WhichModel, all_flows};
use crate::session::images::{GeneratedImage, ImageFile, SavedImages, save_images};
use crate::session::{ChatAnswer, EventName};
use salve_jobs::{
    DoubtPolicy, EventId, FlowName, JobId, JobRunner, JobState, Jobs, Needs, StartOptions,
    WorkerOptions,
};
use salve_store::{NewSessionEvent, SessionWrite, TurnRecord, TurnUpdate};
use salve_types::{ChangeState, SessionChange, SessionId, Spend, SpendLimit};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// How long steps that are being done may take when an image is there.
const GRACE: Duration = Duration::from_secs(5);

/// An image that is to be made again.
#[derive(Debug, Clone, PartialEq)]
pub struct RedrawOrder {
    /// The session.
    pub session: SessionId,
    /// The image.
    pub image: String,
    /// What it is to show now.
    pub prompt: String,
    /// Who makes it.
    pub model: WhichModel,
    /// What may be spent.
    pub budget: SpendLimit,
}

impl Conversation {
    /// Lists the images of a session, each with the turn it belongs to.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn images(
        &self,
        session: &SessionId,
    ) -> Result<Vec<(u32, GeneratedImage)>, ConversationError> {
        let turns = self.parts.store.turns(session).await?;
        let of_turn = |turn: &TurnRecord| {
            images_of(turn).into_iter().map(|image| (turn.index, image)).collect()
        };
        Ok(turns.iter().flat_map(|turn| -> Vec<_> { of_turn(turn) }).collect())
    }

    /// Finds an image of a session by its name.
    ///
    /// # Errors
    /// When there is none, or the store refuses.
    pub async fn image(
        &self,
        session: &SessionId,
        id: &str,
    ) -> Result<(u32, GeneratedImage), ConversationError> {
        let found = self.images(session).await?.into_iter().find(|(_, image)| image.id == id);
        found.ok_or_else(|| ConversationError::NoSuchImage(id.to_owned()))
    }

    /// Returns the bytes of an image.
    ///
    /// # Errors
    /// When they are not there, or the store refuses.
    pub async fn image_bytes(&self, image: &GeneratedImage) -> Result<Vec<u8>, ConversationError> {
        let missing = || ConversationError::NoSuchImage(image.id.clone());
        let content = image.content.as_deref().ok_or_else(missing)?;
        self.parts.store.image(content).await?.ok_or_else(missing)
    }

    /// Notes which images of a turn a person chose; the others are chosen no more.
    ///
    /// # Errors
    /// When there is no such turn, or the store refuses.
    pub async fn select_images(
        &self,
        session: &SessionId,
        turn: u32,
        chosen: &[String],
    ) -> Result<(), ConversationError> {
        let record = self.parts.store.turn(session, turn).await?;
        let images = record.as_ref().map(images_of).unwrap_or_default();
        let change = |image: &GeneratedImage| json!({ "id": image.id, "selected": chosen.contains(&image.id) });
        let changes = images.iter().map(change).collect();
        let payload = json!({ "selected": chosen });
        let update = TurnUpdate { index: turn, images: changes, ..TurnUpdate::default() };
        let key = salve_jobs::fresh_job_id();
        self.note(
            session,
            format!("{key}:select"),
            EventName::ImagesSelected,
            payload,
            update,
            Vec::new(),
        )
        .await
    }

    /// Writes images into a folder of the workspace, and notes the change in the session.
    ///
    /// # Errors
    /// When another process works on the workspace, an image or the folder cannot be used, or the store refuses.
    pub async fn save_images(
        &self,
        session: &SessionId,
        root: &Path,
        folder: &str,
        images: &[(u32, GeneratedImage)],
    ) -> Result<SavedImages, ConversationError> {
        let mut files = Vec::new();
        for (_, image) in images {
            let bytes = self.image_bytes(image).await?;
            files.push(ImageFile { id: image.id.clone(), bytes });
        }
        let now = u64::try_from(self.parts.clock.now().0).unwrap_or(0);
        let (root, folder, name) = (root.to_owned(), folder.to_owned(), session.to_string());
        let written = tokio::task::spawn_blocking(move || {
            let _lock = match HealLock::take(&root).map_err(RepairError::from)? {
                Locking::Taken(lock) => lock,
                Locking::Held { process } => return Err(RepairError::Busy { process }.into()),
            };
            Ok::<_, ConversationError>(save_images(&root, &folder, &files, &name, now)?)
        });
        let saved = written.await.map_err(|error| RepairError::Io(error.to_string()))??;
        let turn = images.first().map_or(1, |(turn, _)| *turn);
        let ids: Vec<&str> = images.iter().map(|(_, image)| image.id.as_str()).collect();
        let payload = json!({ "images": ids, "files": saved.files, "change": saved.change });
        let change = SessionChange {
            change_id: saved.change.clone(),
            turn,
            state: ChangeState::Applied,
            todos: Vec::new(),
            micro_dollars: 0,
            checked: None,
            parent_change: None,
        };
        let update = TurnUpdate { index: turn, ..TurnUpdate::default() };
        let key = format!("{}:saved", saved.change);
        self.note(session, key, EventName::ImagesSaved, payload, update, vec![change]).await?;
        Ok(saved)
    }

    /// Makes an image again, in its place, and waits for it.
    ///
    /// # Errors
    /// When there is no such image, it cannot be made, or the jobs cannot be reached. The image before stays then.
    pub async fn redraw(&self, order: RedrawOrder) -> Result<GeneratedImage, ConversationError> {
        let (turn, _) = self.image(&order.session, &order.image).await?;
        let id = self.redraw_job(&order).await?;
        let options = WorkerOptions {
            worker: self.parts.worker.clone(),
            only: Some(id.clone()),
            steps_at_once: 2,
            flows_at_once: 2,
            ..WorkerOptions::default()
        };
        let runner = self.parts.jobs.run(all_flows()?, self.steps()?, options).await?;
        if self.parts.jobs.state(&id).await?.is_none() {
            let input = ImageInput {
                prompt: self.parts.store.put_text(&order.prompt).await?,
                count: 1,
                model: order.model.clone(),
                budget: order.budget,
                beside: Spend::default(),
                doubt: DoubtPolicy::Retry,
                session: Some(order.session.to_string()),
                place: Some(ImagePlace {
                    session: order.session.clone(),
                    turn,
                    image: order.image.clone(),
                }),
            };
            let flow = FlowName::try_from(IMAGE_FLOW.to_owned())?;
            let needs = Needs::default();
            let input = serde_json::to_value(&input)?;
            let _known =
                self.parts.jobs.start(&flow, id.clone(), input, StartOptions { needs }).await?;
        }
        let ended = running::ended(self.parts.jobs.watch(&id, EventId(0))).await;
        runner.drain(GRACE).await;
        ended?;
        match self.parts.jobs.state(&id).await?.map(|job| job.state) {
            Some(JobState::Done { .. }) => Ok(self.image(&order.session, &order.image).await?.1),
            Some(JobState::Failed { error }) => Err(ConversationError::Failed(error)),
            Some(JobState::Cancelled { reason }) => Err(ConversationError::Cancelled(reason)),
            Some(other) => Err(ConversationError::Stopped(other.name())),
            None => Err(ConversationError::Gone(id)),
        }
    }

    // The same for every process that is told the same, so that one which was interrupted is found. One that is over
    // is followed by another.
    async fn redraw_job(&self, order: &RedrawOrder) -> Result<JobId, ConversationError> {
        let about = format!("{}\n{}", order.image, order.prompt);
        let hash = blake3::hash(about.as_bytes()).to_hex();
        let hash = hash.get(..12).unwrap_or_default();
        let mut number = 1_u32;
        loop {
            let id = JobId::new(&format!("image-{}-{hash}-{number}", order.session))?;
            let job = self.parts.jobs.state(&id).await?;
            if job.is_none_or(|job| !job.state.is_terminal()) {
                return Ok(id);
            }
            number += 1;
        }
    }

    async fn note(
        &self,
        session: &SessionId,
        key: String,
        name: EventName,
        payload: serde_json::Value,
        update: TurnUpdate,
        changes: Vec<SessionChange>,
    ) -> Result<(), ConversationError> {
        let event =
            NewSessionEvent { turn: Some(update.index), name: name.name().to_owned(), payload };
        let write = SessionWrite {
            events: vec![event],
            turn: Some(update),
            changes,
            ..SessionWrite::new(session.clone(), key)
        };
        self.parts.store.write_session(write).await?;
        Ok(())
    }
}

fn images_of(turn: &TurnRecord) -> Vec<GeneratedImage> {
    let answer =
        turn.result.clone().and_then(|result| serde_json::from_value::<ChatAnswer>(result).ok());
    answer.map(|answer| answer.generated_images).unwrap_or_default()
}
