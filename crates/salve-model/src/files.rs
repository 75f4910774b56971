//! Files that are given to a provider to keep, so that a model can search in them.
//!
//! In: a provider that has such a place, a name and bytes. Out: the id the provider gave them; whether an id is still
//! good; its deletion. One client for the three dialects, whose endpoints are alike. Never sends what is above the
//! provider's limit, never follows a redirect, never tries twice by itself.

mod multipart;
#[cfg(test)]
mod tests;

use crate::http_client::chain;
use crate::model::is_transient_status;
use crate::provider::Provider;
use crate::wire::Dialect;
use http::{Method, StatusCode};
use multipart::Multipart;
use serde::{Deserialize, Serialize};

/// The most bytes of a file that providers take.
pub const MOST_FILE_BYTES: u64 = 48 << 20;
/// How many pages of a list are looked through for a name.
const MOST_PAGES: u32 = 10;
/// How many files a page of a list has.
const PAGE: u32 = 100;
/// The most bytes of an answer about files that are read.
const LARGEST_ANSWER: usize = 4 << 20;

/// A file that goes with a turn, by the id its provider gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePart {
    /// The provider's id.
    pub id: String,
    /// How large it is, for budgets.
    pub bytes: u64,
}

/// A file as its provider describes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RemoteFile {
    /// The provider's id.
    pub id: String,
    /// The name it was given under.
    #[serde(default)]
    pub filename: String,
}

/// Why a provider did not do what was asked about a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilesError {
    /// It is larger than what providers take; nothing was sent.
    #[error("it has {bytes} bytes, and providers take at most {MOST_FILE_BYTES}")]
    TooLarge {
        /// Its size.
        bytes: u64,
    },
    /// The provider refused.
    #[error("the provider answered {status}: {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
    },
    /// No answer came. Whether the provider did it is not known.
    #[error("no answer from the provider: {message}")]
    Unreachable {
        /// What happened.
        message: String,
    },
    /// The answer cannot be read.
    #[error("the provider's answer about a file cannot be read: {message}")]
    Unreadable {
        /// What is wrong with it.
        message: String,
    },
}

impl FilesError {
    /// Tells whether the same may go well a little later.
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Refused { status, .. } => is_transient_status(*status),
            Self::Unreachable { .. } => true,
            Self::TooLarge { .. } | Self::Unreadable { .. } => false,
        }
    }
}

/// The place for files of one provider; a copy is the same place.
#[derive(Debug, Clone)]
pub struct ProviderFiles {
    client: reqwest::Client,
    provider: Provider,
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    data: Vec<RemoteFile>,
    #[serde(default)]
    has_more: bool,
}

impl ProviderFiles {
    /// Takes the place of a provider, if it has one.
    pub fn of(provider: &Provider, client: reqwest::Client) -> Option<Self> {
        provider.files.then(|| Self { client, provider: provider.clone() })
    }

    /// Gives a file to the provider.
    ///
    /// # Errors
    /// When it is too large, or the provider refuses or does not answer.
    pub async fn upload(&self, name: &str, bytes: &[u8]) -> Result<RemoteFile, FilesError> {
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if size > MOST_FILE_BYTES {
            return Err(FilesError::TooLarge { bytes: size });
        }
        let mut form = Multipart::around(bytes);
        match self.provider.dialect {
            Dialect::Chat => form.field("purpose", "assistants"),
            Dialect::Responses => form.field("purpose", "user_data"),
            Dialect::Messages => {}
        }
        form.file("file", name, bytes);
        let kind = form.content_type();
        let request = self.request(Method::POST, None)?;
        let request = request.header("content-type", kind).body(form.finish());
        read(&self.answer(request).await?)
    }

    /// Tells whether an id is still good.
    ///
    /// # Errors
    /// When the provider refuses to say, or does not answer.
    pub async fn exists(&self, id: &str) -> Result<bool, FilesError> {
        found(self.answer(self.request(Method::GET, Some(id))?).await)
    }

    /// Deletes a file; tells whether it was there.
    ///
    /// # Errors
    /// When the provider refuses or does not answer.
    pub async fn delete(&self, id: &str) -> Result<bool, FilesError> {
        found(self.answer(self.request(Method::DELETE, Some(id))?).await)
    }

    /// Looks for a file by the name it was given under, the newest files first.
    ///
    /// # Errors
    /// When the provider has no list, refuses or does not answer.
    pub async fn find(&self, name: &str) -> Result<Option<RemoteFile>, FilesError> {
        let cursor = if self.provider.dialect == Dialect::Messages { "after_id" } else { "after" };
        let mut after: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let mut url = self.url(None)?;
            url.query_pairs_mut().append_pair("limit", &PAGE.to_string());
            if let Some(after) = &after {
                url.query_pairs_mut().append_pair(cursor, after);
            }
            let answer = self.answer(self.with_headers(self.client.get(url))).await?;
            let page: Page = read(&answer)?;
            if let Some(file) = page.data.iter().find(|file| file.filename == name) {
                return Ok(Some(file.clone()));
            }
            after = page.data.last().map(|file| file.id.clone());
            if !page.has_more || after.is_none() {
                break;
            }
        }
        Ok(None)
    }

    fn url(&self, id: Option<&str>) -> Result<reqwest::Url, FilesError> {
        let bad = |message: String| FilesError::Unreadable { message };
        let place = self.provider.at("/v1/files");
        let mut url = reqwest::Url::parse(&place).map_err(|error| bad(error.to_string()))?;
        if let Some(id) = id {
            // An id is one part of the path, whatever is in it.
            let plain = !id.is_empty() && id != "." && id != "..";
            let mut path = url.path_segments_mut().map_err(|()| bad(place.clone()))?;
            if !plain {
                return Err(bad(format!("`{id}` is no id of a file")));
            }
            path.push(id);
        }
        Ok(url)
    }

    fn request(
        &self,
        method: Method,
        id: Option<&str>,
    ) -> Result<reqwest::RequestBuilder, FilesError> {
        Ok(self.with_headers(self.client.request(method, self.url(id)?)))
    }

    fn with_headers(&self, mut request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        for (name, value) in self.provider.file_headers() {
            request = request.header(name, value);
        }
        request.timeout(self.provider.timeouts.total)
    }

    async fn answer(&self, request: reqwest::RequestBuilder) -> Result<Vec<u8>, FilesError> {
        let lost = |error: reqwest::Error| FilesError::Unreachable {
            // An address may hold what only its owner should see.
            message: chain(&error.without_url()),
        };
        let mut response = request.send().await.map_err(lost)?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            if body.len() + chunk.len() > LARGEST_ANSWER {
                return Err(FilesError::Unreadable { message: "it has no end".to_owned() });
            }
            body.extend_from_slice(&chunk);
        }
        if status.is_success() {
            return Ok(body);
        }
        let said: String = String::from_utf8_lossy(&body).chars().take(300).collect();
        Err(FilesError::Refused { status: status.as_u16(), message: said })
    }
}

fn read<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Result<T, FilesError> {
    serde_json::from_slice(body)
        .map_err(|error| FilesError::Unreadable { message: error.to_string() })
}

fn found(answer: Result<Vec<u8>, FilesError>) -> Result<bool, FilesError> {
    match answer {
        Ok(_) => Ok(true),
        Err(FilesError::Refused { status, .. })
            if status == StatusCode::NOT_FOUND.as_u16() || status == StatusCode::GONE.as_u16() =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}
