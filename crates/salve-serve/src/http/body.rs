//! Bodies that are read whole, and packed and unpacked.
//!
//! In: a body as it arrives, and how it is packed. Out: its bytes, or why not. Bounded in bytes and in
//! time, before and after it is unpacked, so that a small body cannot become a large one.

use super::refusal::{Reason, Refusal};
use super::reply::BodyError;
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, VARY};
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use std::convert::Infallible;
use std::time::Duration;
use tower::{ServiceExt, service_fn};
use tower_http::CompressionLevel;
use tower_http::compression::Compression;
use tower_http::compression::predicate::SizeAbove;
use tower_http::decompression::{Decompression, DecompressionBody};

/// Reads the body of a request.
pub(crate) async fn read(
    body: hyper::body::Incoming,
    headers: &HeaderMap,
    most: usize,
    patience: Duration,
) -> Result<Bytes, Refusal> {
    let declared = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if declared.is_some_and(|declared: u64| declared > most as u64) {
        return Err(too_large(most));
    }
    match tokio::time::timeout(patience, collect(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(Unread::TooLarge)) => Err(too_large(most)),
        Ok(Err(Unread::Broken)) => {
            Err(Refusal::new(Reason::BadRequest, "the body of the request broke off"))
        }
        Err(_) => Err(Refusal::new(
            Reason::SlowBody,
            format!("the body did not arrive within {} seconds", patience.as_secs()),
        )),
    }
}

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It is larger than may be.
    TooLarge,
    /// It broke off, or is not packed as it says.
    Broken,
}

/// Reads a body of bounded size.
pub(crate) async fn collect<B>(body: B, most: usize) -> Result<Bytes, Unread>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BodyError>,
{
    match Limited::new(body, most).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Unread::TooLarge),
        Err(_) => Err(Unread::Broken),
    }
}

/// A body as far as it came.
pub(crate) struct Arrived {
    /// The bytes.
    pub(crate) bytes: Bytes,
    /// Whether the connection broke before the end.
    pub(crate) broken: bool,
}

/// Reads a body as far as it comes, to no more than `most`: what arrived before a connection broke is
/// not thrown away.
pub(crate) async fn collect_arrived<B>(body: B, most: usize) -> Result<Arrived, Unread>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BodyError>,
{
    let mut body = std::pin::pin!(Limited::new(body, most));
    let mut pieces: Vec<Bytes> = Vec::new();
    let mut broken = false;
    while let Some(frame) = body.frame().await {
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => pieces.push(data),
            Ok(Err(_)) => {}
            Err(error) if error.is::<LengthLimitError>() => return Err(Unread::TooLarge),
            Err(_) if pieces.is_empty() => return Err(Unread::Broken),
            Err(_) => {
                broken = true;
                break;
            }
        }
    }
    // A body of one piece, which is the usual one, is not copied.
    let bytes = match pieces.len() {
        1 => pieces.remove(0),
        _ => Bytes::from(pieces.concat()),
    };
    Ok(Arrived { bytes, broken })
}

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

fn too_large(most: usize) -> Refusal {
    Refusal::new(
        Reason::TooLarge,
        format!("the body is larger than {most} bytes; send less, or raise the gateway's limit"),
    )
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
