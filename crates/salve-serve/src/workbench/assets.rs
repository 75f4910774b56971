//! The style sheet and the modules of the pages, embedded.
//!
//! In: the folder `web/` as it was when this was built. Out: bytes under an address that changes with any of them, so
//! that a browser may keep them for ever and modules import each other by their plain names. Never a file that is not
//! listed here.

use axum::body::Body;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use std::sync::LazyLock;

/// A file that pages load.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($name:literal => $kind:ident),+ $(,)?) => {
        &[$(Asset {
            name: $name,
            kind: $kind,
            bytes: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/", $name)),
        }),+]
    };
}

const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const JS: &str = "text/javascript; charset=utf-8";

const ASSETS: &[Asset] = assets! {
    "act.js" => JS,
    "app.css" => CSS,
    "app.js" => JS,
    "chat.js" => JS,
    "complete.js" => JS,
    "enter.js" => JS,
    "gallery.js" => JS,
    "icon.svg" => SVG,
    "page.js" => JS,
    "palette.js" => JS,
    "screens.js" => JS,
    "stream.js" => JS,
    "theme.js" => JS,
};

static FOLDER: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for asset in ASSETS {
        hasher.update(asset.name.as_bytes()).update(&[0]).update(asset.bytes);
    }
    let hash = hasher.finalize().to_hex();
    format!("/assets/{}", &hash.as_str()[..16])
});

/// Returns the folder of the assets, without a slash at its end.
pub(super) fn folder() -> &'static str {
    &FOLDER
}

/// Answers `GET /assets/{version}/{name}`.
pub(super) async fn get(Path((version, name)): Path<(String, String)>) -> Response {
    let found = ASSETS.iter().find(|asset| asset.name == name);
    let current = folder().strip_prefix("/assets/") == Some(version.as_str());
    let Some(asset) = found.filter(|_| current) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = Response::new(Body::from(Bytes::from_static(asset.bytes)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(CACHE_CONTROL, kept);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_import_only_what_is_listed_and_nothing_from_elsewhere() {
        for asset in ASSETS.iter().filter(|asset| asset.kind == JS) {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            let imports = text.lines().filter(|line| {
                line.starts_with("import ") || line.contains(" from '") || line.contains("import(")
            });
            for line in imports {
                let quoted = line.split(['\'', '"']).nth(1).unwrap_or_default();
                let name = quoted.strip_prefix("./").unwrap_or_else(|| panic!("{line}"));
                assert!(ASSETS.iter().any(|asset| asset.name == name), "{}: {line}", asset.name);
            }
        }
    }
}
