//! The files that a simulated provider was given.
//!
//! In: requests for `/v1/files`, as the three dialects make them. Out: answers as providers give them, and the files
//! for a test to look at. Never more bytes than it was told to keep, and never an id twice.

use super::body::SimBody;
use super::calls::SeenRequest;
use super::stage::whole;
use super::write::write_error;
use crate::wire::Dialect;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use memchr::memmem;
use serde_json::{Value, json};
use std::sync::{Mutex, PoisonError};

/// The most bytes of all files together.
const MOST_BYTES: usize = 256 << 20;

/// A file that was uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimFile {
    /// The id it was given.
    pub id: String,
    /// Its name.
    pub filename: String,
    /// What is in it.
    pub bytes: Bytes,
}

/// All files, oldest first.
#[derive(Debug, Default)]
pub(super) struct Shelf(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    files: Vec<SimFile>,
    uploads: u64,
}

impl Shelf {
    /// Returns what is there now.
    pub(super) fn files(&self) -> Vec<SimFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).files.clone()
    }

    /// Returns how many files were ever uploaded.
    pub(super) fn uploads(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).uploads
    }

    /// Returns the first of these ids that no file has.
    pub(super) fn missing<'a>(&self, ids: &'a [String]) -> Option<&'a String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.iter().find(|id| !kept.files.iter().any(|file| file.id == **id))
    }

    /// Answers a request, if it is one about files.
    pub(super) fn respond(&self, request: &SeenRequest) -> Option<Response<SimBody>> {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let rest = path.strip_prefix("/v1/files")?;
        let id = rest.strip_prefix('/').filter(|id| !id.is_empty());
        Some(match (&request.method, id) {
            (&Method::POST, None) => self.take(request),
            (&Method::GET, None) => self.list(query),
            (&Method::GET, Some(id)) => self.show(id),
            (&Method::DELETE, Some(id)) => self.delete(id),
            _ => refused(StatusCode::METHOD_NOT_ALLOWED, "there is no such request for files"),
        })
    }

    fn take(&self, request: &SeenRequest) -> Response<SimBody> {
        let kind = request.headers.get("content-type").and_then(|kind| kind.to_str().ok());
        let Some((filename, bytes)) = kind.and_then(|kind| read_form(kind, &request.body)) else {
            return refused(StatusCode::BAD_REQUEST, "the form has no part `file` with a name");
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let there: usize = kept.files.iter().map(|file| file.bytes.len()).sum();
        if there + bytes.len() > MOST_BYTES {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "there is no more room");
        }
        kept.uploads += 1;
        let file = SimFile { id: format!("file-sim-{}", kept.uploads), filename, bytes };
        let shown = described(&file);
        kept.files.push(file);
        whole(StatusCode::OK, shown.to_string().into_bytes())
    }

    // The newest first, as providers do.
    fn list(&self, query: &str) -> Response<SimBody> {
        let value = |name: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        let limit = value("limit").and_then(|limit| limit.parse().ok()).unwrap_or(20_usize);
        let after = value("after").or(value("after_id"));
        let files = self.files();
        let newest = files.iter().rev();
        let left: Vec<&SimFile> = match after {
            Some(after) => newest.skip_while(|file| file.id != after).skip(1).collect(),
            None => newest.collect(),
        };
        let data: Vec<Value> = left.iter().take(limit).map(|file| described(file)).collect();
        let list = json!({ "object": "list", "data": data, "has_more": left.len() > limit });
        whole(StatusCode::OK, list.to_string().into_bytes())
    }

    fn show(&self, id: &str) -> Response<SimBody> {
        match self.files().iter().find(|file| file.id == id) {
            Some(file) => whole(StatusCode::OK, described(file).to_string().into_bytes()),
            None => unknown(id),
        }
    }

    fn delete(&self, id: &str) -> Response<SimBody> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.files.len();
        kept.files.retain(|file| file.id != id);
        if kept.files.len() == before {
            return unknown(id);
        }
        let gone = json!({ "id": id, "object": "file", "deleted": true });
        whole(StatusCode::OK, gone.to_string().into_bytes())
    }
}

fn described(file: &SimFile) -> Value {
    json!({
        "id": file.id, "object": "file", "filename": file.filename, "bytes": file.bytes.len(),
        "status": "processed",
    })
}

fn unknown(id: &str) -> Response<SimBody> {
    refused(StatusCode::NOT_FOUND, &format!("there is no file `{id}`"))
}

fn refused(status: StatusCode, message: &str) -> Response<SimBody> {
    whole(status, write_error(Dialect::Chat, status.as_u16(), message))
}

// The name and the bytes of the part `file`.
fn read_form(kind: &str, body: &Bytes) -> Option<(String, Bytes)> {
    let boundary = kind.split("boundary=").nth(1)?.trim().trim_matches('"');
    let line = format!("--{boundary}\r\n");
    let begins: Vec<usize> = memmem::find_iter(body, line.as_bytes()).collect();
    begins.into_iter().find_map(|begin| {
        let start = begin + line.len();
        let headers_end = start + memmem::find(body.get(start..)?, b"\r\n\r\n")?;
        let headers = std::str::from_utf8(body.get(start..headers_end)?).ok()?;
        headers.contains("name=\"file\"").then_some(())?;
        let name = headers.split("filename=\"").nth(1)?.split('"').next()?;
        let content = headers_end + 4;
        let end = format!("\r\n--{boundary}");
        let length = memmem::find(body.get(content..)?, end.as_bytes())?;
        Some((name.to_owned(), body.slice(content..content + length)))
    })
}
