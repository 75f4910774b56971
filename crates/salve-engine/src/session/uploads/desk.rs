//! The functions on uploads: upload, delete, rehydrate, exists, set the time, what is over anywhere, what is to be
//! uploaded again.
//!
//! In: records, files that were read under the rules of loading, models with the places of their providers. Out:
//! records. A record is noted before anything is sent; one that a dead process left is looked for at the provider by
//! the name it was sent under. Never uploads a secret, and never deletes what no record names.

use super::turn::LocalFile;
use super::{FileTtl, UploadSettings};
use crate::jobs::ModelSource;
use salve_model::{FilesError, ProviderFiles};
use salve_store::{NewUpload, Store, StoreError, UploadRecord, UploadState};
use salve_types::{Clock, SessionId, Timestamp};
use std::sync::Arc;

/// Where uploads are made, looked after and deleted.
#[derive(Clone)]
pub struct UploadDesk {
    store: Store,
    models: Arc<dyn ModelSource>,
    clock: Arc<dyn Clock>,
}

/// For whom a file is uploaded, and to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadPlace {
    /// The session.
    pub session: SessionId,
    /// The folder of its workspace.
    pub workspace: String,
    /// The provider.
    pub provider: String,
}

/// Why something about an upload could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UploadFault {
    /// The provider has no place for files, or its key is missing.
    #[error("the provider `{provider}` has no place for files here")]
    NoPlace {
        /// Its name.
        provider: String,
    },
    /// The provider did not do it.
    #[error(transparent)]
    Provider(#[from] FilesError),
    /// The records cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The id that the provider gave looks like a secret and cannot be kept; the file was deleted there.
    #[error("the id that the provider gave cannot be kept; the file was deleted there again")]
    UnkeepableId,
}

/// What was cleaned up.
#[derive(Debug, Default)]
pub struct CleanUp {
    /// The uploads that were deleted.
    pub deleted: Vec<UploadRecord>,
    /// Those that could not be deleted now, each with why; they are tried again the next time.
    pub failed: Vec<(UploadRecord, UploadFault)>,
}

/// Tells whether a file has to be uploaded again before it can be used: its time is over, or it is gone.
#[must_use]
pub fn needs_rehydration(record: &UploadRecord, now: Timestamp) -> bool {
    record.state != UploadState::Live || record.expires_at.is_some_and(|end| end <= now)
}

impl UploadDesk {
    /// Puts the parts together.
    pub fn new(store: Store, models: Arc<dyn ModelSource>, clock: Arc<dyn Clock>) -> Self {
        Self { store, models, clock }
    }

    /// Returns this moment.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Uploads a file, without its secrets.
    ///
    /// # Errors
    /// When the provider or the store refuses. What may have arrived all the same is looked for the next time.
    pub async fn upload_file(
        &self,
        place: &UploadPlace,
        file: &LocalFile,
        ttl: FileTtl,
    ) -> Result<UploadRecord, UploadFault> {
        self.upload_after(place, file, ttl, "").await
    }

    // `before` is the upload that this one follows.
    async fn upload_after(
        &self,
        place: &UploadPlace,
        file: &LocalFile,
        ttl: FileTtl,
        before: &str,
    ) -> Result<UploadRecord, UploadFault> {
        let (files, now) = (self.files(&place.provider)?, self.now());
        let new = new_upload(place, file, ttl, upload_key(place, file, before, now));
        let key = new.key.clone();
        let begun = self.store.begin_upload(new).await?;
        if begun.state == UploadState::Live {
            return Ok(begun);
        }
        // One that a dead process began may have arrived.
        let arrived = match begun.key == key {
            true => None,
            false => files.find(&begun.sent_as).await?,
        };
        let sent = match arrived {
            Some(arrived) => arrived,
            None => {
                let text = self.store.without_secrets(&file.text);
                match files.upload(&begun.sent_as, text.as_bytes()).await {
                    Ok(sent) => sent,
                    Err(error) => {
                        // A refusal means that there is nothing to look for.
                        if !error.is_transient() {
                            self.store.end_upload(&begun.key).await?;
                        }
                        return Err(error.into());
                    }
                }
            }
        };
        let kept = self.store.settle_upload(&begun.key, &sent.id, ttl.expires_at(now)).await?;
        match kept {
            Some(kept) => Ok(kept),
            None => self.not_kept(&files, &begun, &sent.id).await,
        }
    }

    // Another process was faster with the same file, or the id cannot be kept.
    async fn not_kept(
        &self,
        files: &ProviderFiles,
        begun: &UploadRecord,
        sent: &str,
    ) -> Result<UploadRecord, UploadFault> {
        files.delete(sent).await?;
        let all = self.store.uploads(&begun.session).await?;
        let live =
            |record: &UploadRecord| record.key == begun.key && record.state == UploadState::Live;
        if let Some(other) = all.into_iter().find(live) {
            return Ok(other);
        }
        self.store.end_upload(&begun.key).await?;
        Err(UploadFault::UnkeepableId)
    }

    /// Deletes an upload at its provider; tells whether it was there.
    ///
    /// # Errors
    /// When the provider or the store refuses; then the record stays.
    pub async fn delete_file(&self, record: &UploadRecord) -> Result<bool, UploadFault> {
        let found = match &record.file_id {
            Some(id) => self.files(&record.provider)?.delete(id).await?,
            // A process died while it was sent.
            None => {
                let files = self.files(&record.provider)?;
                match files.find(&record.sent_as).await? {
                    Some(file) => files.delete(&file.id).await?,
                    None => false,
                }
            }
        };
        self.store.end_upload(&record.key).await?;
        Ok(found)
    }

    /// Makes an upload usable: as it is where the provider has it and the file is the same, else anew from the file.
    /// The one before it is deleted.
    ///
    /// # Errors
    /// When the provider or the store refuses.
    pub async fn rehydrate_file(
        &self,
        record: &UploadRecord,
        file: &LocalFile,
        ttl: FileTtl,
    ) -> Result<UploadRecord, UploadFault> {
        let is_same = record.hash == file.hash;
        let is_good = is_same && !needs_rehydration(record, self.now());
        if is_good && self.file_exists(record).await? {
            return Ok(record.clone());
        }
        let place = UploadPlace {
            session: record.session.clone(),
            workspace: record.workspace.clone(),
            provider: record.provider.clone(),
        };
        let new = self.upload_after(&place, file, ttl, &record.key).await?;
        if record.state == UploadState::Live {
            // What cannot be deleted now is deleted when its time is over.
            match self.delete_file(record).await {
                Err(UploadFault::Store(error)) => return Err(error.into()),
                _ => return Ok(new),
            }
        }
        Ok(new)
    }

    /// Tells whether the provider still has an upload.
    ///
    /// # Errors
    /// When it refuses to say, or does not answer.
    pub async fn file_exists(&self, record: &UploadRecord) -> Result<bool, UploadFault> {
        let Some(id) = &record.file_id else { return Ok(false) };
        Ok(self.files(&record.provider)?.exists(id).await?)
    }

    /// Says from now on how long the live uploads of a session are kept; returns how many there are.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn set_file_ttl(
        &self,
        session: &SessionId,
        ttl: FileTtl,
    ) -> Result<u64, UploadFault> {
        let ends = ttl.expires_at(self.now());
        Ok(self.store.set_upload_ttl(session, ttl.hours(), ends).await?)
    }

    /// Returns the uploads of all sessions whose time is over.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn expired_files_global(&self) -> Result<Vec<UploadRecord>, UploadFault> {
        Ok(self.store.expired_uploads(self.now()).await?)
    }

    /// Deletes what is over, of all sessions; and, where a session begins or is gone back to, what others kept only
    /// until then.
    ///
    /// # Errors
    /// When the store refuses. A provider that refuses is in the result.
    pub async fn clean_up(&self, entering: Option<&SessionId>) -> Result<CleanUp, UploadFault> {
        let mut over = self.expired_files_global().await?;
        if let Some(session) = entering {
            over.extend(self.store.left_uploads(session).await?);
            over.extend(abandoned(&self.store.uploads(session).await?));
        }
        self.delete_all(over).await
    }

    /// Leaves a session for another: what was kept only for it is deleted, the time of the rest begins.
    ///
    /// # Errors
    /// When the store refuses. A provider that refuses is in the result.
    pub async fn leave_session(
        &self,
        session: &SessionId,
        settings: &UploadSettings,
    ) -> Result<CleanUp, UploadFault> {
        let ttl = settings.effective_ttl();
        self.set_file_ttl(session, ttl).await?;
        if ttl != FileTtl::Session {
            return Ok(CleanUp::default());
        }
        let mut live = self.store.uploads(session).await?;
        live.retain(|record| record.state == UploadState::Live);
        self.delete_all(live).await
    }

    async fn delete_all(&self, records: Vec<UploadRecord>) -> Result<CleanUp, UploadFault> {
        let mut done = CleanUp::default();
        for record in records {
            match self.delete_file(&record).await {
                Ok(_) => done.deleted.push(record),
                Err(UploadFault::Store(error)) => return Err(error.into()),
                Err(fault) => done.failed.push((record, fault)),
            }
        }
        Ok(done)
    }

    fn files(&self, provider: &str) -> Result<ProviderFiles, UploadFault> {
        let place = self.models.files(provider);
        place.ok_or_else(|| UploadFault::NoPlace { provider: provider.to_owned() })
    }
}

// What a dead process left, of a file that was uploaded anew since: nobody goes on with it.
fn abandoned(records: &[UploadRecord]) -> Vec<UploadRecord> {
    let is_followed = |at: usize, record: &UploadRecord| {
        records.iter().skip(at + 1).any(|later| later.path == record.path)
    };
    let left = records
        .iter()
        .enumerate()
        .filter(|(at, record)| record.state == UploadState::Pending && is_followed(*at, record));
    left.map(|(_, record)| record.clone()).collect()
}

fn new_upload(place: &UploadPlace, file: &LocalFile, ttl: FileTtl, key: String) -> NewUpload {
    NewUpload {
        sent_as: format!("{key}-{}", file.filename()),
        key,
        session: place.session.clone(),
        workspace: place.workspace.clone(),
        provider: place.provider.clone(),
        path: file.path.clone(),
        hash: file.hash.clone(),
        size: file.size,
        ttl_hours: ttl.hours(),
    }
}

// Of one file for one session at one moment there is one upload, and one that follows it.
fn upload_key(place: &UploadPlace, file: &LocalFile, before: &str, now: Timestamp) -> String {
    let UploadPlace { session, provider, .. } = place;
    let LocalFile { path, hash, .. } = file;
    let all = format!("{session}\n{provider}\n{path}\n{hash}\n{before}\n{}", now.0);
    let hash = blake3::hash(all.as_bytes()).to_hex();
    format!("salve-{}", hash.get(..16).unwrap_or_default())
}
