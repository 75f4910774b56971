//! Bodies packed and unpacked.
//!
//! In: bytes, and the coding of HTTP they are in or may go in. Out: the same bytes packed or plain.
//! Bounded after they are unpacked, so that a small body cannot become a large one.

use super::body::{Unread, collect};
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, VARY};
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use std::convert::Infallible;
use tower::{ServiceExt, service_fn};
use tower_http::CompressionLevel;
use tower_http::compression::Compression;
use tower_http::compression::predicate::SizeAbove;
use tower_http::decompression::{Decompression, DecompressionBody};

/// Returns whether a body packed so can be unpacked here.
pub(crate) fn is_readable(packed_in: &HeaderValue) -> bool {
    ["gzip", "x-gzip", "br"]
        .iter()
        .any(|coding| packed_in.as_bytes().eq_ignore_ascii_case(coding.as_bytes()))
}

/// Unpacks bytes, to no more than `most`.
pub(crate) async fn unpack(
    bytes: Bytes,
    packed_in: &HeaderValue,
    most: usize,
) -> Result<Bytes, Unread> {
    collect(unpacked(Full::new(bytes), packed_in).await, most).await
}

/// Unpacks a body as it arrives.
pub(crate) async fn unpacked<B>(body: B, packed_in: &HeaderValue) -> DecompressionBody<B>
where
    B: Body<Data = Bytes>,
{
    // The library unpacks what a service answers; this one answers with the body it is given.
    let coding = packed_in.as_bytes().to_ascii_lowercase();
    let coding = if coding == b"br" { "br" } else { "gzip" };
    let echo = service_fn(move |request: Request<B>| {
        let mut response = Response::new(request.into_body());
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
        std::future::ready(Ok::<_, Infallible>(response))
    });
    match Decompression::new(echo).oneshot(Request::new(body)).await {
        Ok(response) => response.into_body(),
        Err(never) => match never {},
    }
}

/// Packs a whole body in a way the client accepts, if there is one, and names it in the headers.
pub(crate) async fn pack(
    bytes: Bytes,
    accepted: Option<&HeaderValue>,
    headers: &mut HeaderMap,
) -> Bytes {
    let Some(accepted) = accepted else { return bytes };
    let mut request = Request::new(Full::new(bytes.clone()));
    request.headers_mut().insert(ACCEPT_ENCODING, accepted.clone());
    let echo = service_fn(|request: Request<Full<Bytes>>| {
        std::future::ready(Ok::<_, Infallible>(Response::new(request.into_body())))
    });
    let packing = Compression::new(echo)
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(SMALLEST_PACKED));
    let response = match packing.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let Some(coding) = response.headers().get(CONTENT_ENCODING).cloned() else { return bytes };
    match response.into_body().collect().await {
        Ok(packed) => {
            headers.insert(CONTENT_ENCODING, coding);
            headers.append(VARY, HeaderValue::from_static("accept-encoding"));
            packed.to_bytes()
        }
        // Packing bytes in memory does not fail; if it does, they go as they are.
        Err(_) => bytes,
    }
}

// Below this a packed body is hardly smaller and always later.
const SMALLEST_PACKED: u16 = 1024;

/// Returns the coding a body is packed in; `None` when it is plain.
pub(crate) fn packed_in(headers: &HeaderMap) -> Option<&HeaderValue> {
    headers
        .get(CONTENT_ENCODING)
        .filter(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Returns those of the codings a client accepts that can be unpacked here.
pub(crate) fn readable(headers: &HeaderMap) -> &'static str {
    let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    let accepts = |coding: &str| {
        accepted.split(',').any(|part| {
            let mut words = part.split(';').map(str::trim);
            words.next() == Some(coding) && words.all(|word| word != "q=0")
        })
    };
    match (accepts("gzip"), accepts("br")) {
        (true, true) => "gzip, br",
        (true, false) => "gzip",
        (false, true) => "br",
        (false, false) => "identity",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_packed_is_unpacked_and_a_bomb_is_not() {
        let text = Bytes::from("a long line of the same words, again and again\n".repeat(20_000));
        for coding in ["gzip", "br"] {
            let mut headers = HeaderMap::new();
            let accepted = HeaderValue::from_static(coding);
            let packed = pack(text.clone(), Some(&accepted), &mut headers).await;
            assert_eq!(headers[CONTENT_ENCODING], coding);
            assert!(packed.len() * 20 < text.len(), "{coding}: {}", packed.len());
            assert_eq!(unpack(packed.clone(), &accepted, text.len()).await.unwrap(), text);
            let bomb = unpack(packed.clone(), &accepted, text.len() - 1).await;
            assert!(matches!(bomb, Err(Unread::TooLarge)), "{coding}");
            let cut = unpack(packed.slice(..packed.len() / 2), &accepted, text.len()).await;
            assert!(matches!(cut, Err(Unread::Broken)), "{coding}");
        }
    }

    #[tokio::test]
    async fn bytes_go_plain_to_those_who_accept_nothing_else() {
        let text = Bytes::from("x".repeat(5000));
        for accepted in [None, Some(HeaderValue::from_static("zstd"))] {
            let mut headers = HeaderMap::new();
            assert_eq!(pack(text.clone(), accepted.as_ref(), &mut headers).await, text);
            assert!(headers.is_empty());
        }
    }
}
