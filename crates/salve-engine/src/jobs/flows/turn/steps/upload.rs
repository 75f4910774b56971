//! The step that gives files to the provider of the model, before it is asked.
//!
//! In: a turn that has read its files. Out: the same with the ids of those that were uploaded, and what became of each.
//! Done again after a crash it finds the records of what it had sent, and sends nothing twice. Never fails a turn
//! because a provider does not take a file: its text goes into the prompt then.

use super::{At, Here, Place, StepError, TurnSteps, lost, unreadable};
use crate::jobs::ModelSource;
use crate::session::machine::TurnStep;
use crate::session::{
    AttachedFile, LocalFile, LocalFiles, RefusedUploads, SkipCode, SkippedFile, UploadCode,
    UploadDesk, UploadFault, UploadOutcome, UploadPlace, UploadSettings, local_files, take_uploads,
    wanted_paths,
};
use salve_jobs::JobId;
use salve_model::Chosen;
use salve_store::{StoreError, UploadRecord, UploadState};
use salve_types::Timestamp;
use std::sync::Arc;

impl TurnSteps {
    /// Uploads what the turn is to be answered with.
    pub(super) async fn upload(&self, job: &JobId, at: At) -> Result<Here, StepError> {
        let fresh = self.fresh(&at).await?;
        let outcome = self.uploads_of(job, &at).await?;
        let done = self.blocking(job, at, move |here| {
            here.step(fresh, |_, _, saved| take_uploads(saved, outcome))
        });
        self.kept(done.await?).await
    }

    async fn uploads_of(&self, job: &JobId, at: &At) -> Result<UploadOutcome, StepError> {
        let settings = at.input.help.uploads;
        let Some(models) = &self.models else {
            return Ok(refused(String::new(), RefusedUploads::NoModel));
        };
        let chosen = match self.turn(at).await?.images.is_empty() {
            true => models.choose(&at.input.model),
            false => models.choose_seeing(&at.input.model),
        };
        let Ok(chosen) = chosen else {
            return Ok(refused(String::new(), RefusedUploads::NoModel));
        };
        let desk = UploadDesk::new(self.store.clone(), Arc::clone(models), Arc::clone(&self.clock));
        let session = &at.input.session;
        let cleaned = desk.clean_up(Some(session)).await.map_err(|error| failed(&error))?;
        let deleted = cleaned.deleted.into_iter().map(|record| record.path).collect();
        let name = format!("{}/{}", chosen.provider, chosen.name);
        if let Some(why) = incapable(&chosen, &**models) {
            return Ok(UploadOutcome { deleted, ..refused(name, why) });
        }
        let failed_to_read = |error: StoreError| unreadable(&error);
        let mut records = self.store.uploads(session).await.map_err(failed_to_read)?;
        records.retain(|record| record.provider == chosen.provider);
        let LocalFiles { files, skipped } =
            self.files_of(job, at, &records, settings, desk.now()).await?;
        let place = UploadPlace {
            session: session.clone(),
            workspace: at.input.root.display().to_string(),
            provider: chosen.provider,
        };
        let mut outcome =
            UploadOutcome { model: name, skipped, deleted, ..UploadOutcome::default() };
        for file in files {
            let before = records.iter().rev().find(|record| record.path == file.path);
            match attached(&desk, &place, &file, before, settings).await {
                Ok(attached) => outcome.attached.push(attached),
                Err(UploadFault::Store(error)) => return Err(unreadable(&error)),
                Err(fault) => outcome.skipped.push(SkippedFile {
                    path: file.path,
                    code: SkipCode::ProviderFailed,
                    size: file.size,
                    why: Some(fault.to_string()),
                }),
            }
        }
        Ok(outcome)
    }

    async fn files_of(
        &self,
        job: &JobId,
        at: &At,
        records: &[UploadRecord],
        settings: UploadSettings,
        now: Timestamp,
    ) -> Result<LocalFiles, StepError> {
        let records = records.to_vec();
        let read = self.blocking(job, at.clone(), move |here: Place| {
            let (_, Some(saved)) = here.state()? else { return Err(lost()) };
            // Where this was decided before, it is not asked for again.
            if !matches!(saved.machine.next(), TurnStep::Upload(_)) {
                return Ok(LocalFiles::default());
            }
            let paths = wanted_paths(&saved, &records, &settings, now);
            local_files(here.work.root(), &paths, &settings)
        });
        read.await
    }
}

async fn attached(
    desk: &UploadDesk,
    place: &UploadPlace,
    file: &LocalFile,
    before: Option<&UploadRecord>,
    settings: UploadSettings,
) -> Result<AttachedFile, UploadFault> {
    let ttl = settings.effective_ttl();
    let before = before.filter(|record| record.state != UploadState::Pending);
    let (record, code) = match before {
        None => (desk.upload_file(place, file, ttl).await?, UploadCode::Uploaded),
        Some(before) => {
            let record = desk.rehydrate_file(before, file, ttl).await?;
            let code = match () {
                () if record.key == before.key => UploadCode::Reused,
                () if before.hash != file.hash => UploadCode::Changed,
                () => UploadCode::Rehydrated,
            };
            (record, code)
        }
    };
    Ok(AttachedFile {
        path: file.path.clone(),
        file_id: record.file_id.unwrap_or_default(),
        sent_as: record.sent_as,
        hash: record.hash,
        size: record.size,
        expires_at: record.expires_at,
        code,
    })
}

fn incapable(chosen: &Chosen, models: &dyn ModelSource) -> Option<RefusedUploads> {
    if !chosen.capability.agentic {
        return Some(RefusedUploads::ModelNotAgentic);
    }
    models.files(&chosen.provider).is_none().then_some(RefusedUploads::ProviderHasNoFiles)
}

fn refused(model: String, why: RefusedUploads) -> UploadOutcome {
    UploadOutcome { model, refused: Some(why), ..UploadOutcome::default() }
}

fn failed(fault: &UploadFault) -> StepError {
    StepError::retryable(fault.to_string())
}
