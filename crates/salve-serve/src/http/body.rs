//! Bodies of requests and responses.
//!
//! In: a body as it arrives. Out: its bytes, bounded in number and in time, or why not; and the one
//! body type of responses. Never copies a body that is passed on.

use super::refusal::{Reason, Refusal};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt};
use http::HeaderMap;
use http::header::CONTENT_LENGTH;
use http_body::{Body, Frame};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, BodyStream, Full, LengthLimitError, Limited, StreamBody};
use std::time::Duration;

/// Why a body broke off.
pub(crate) type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The body of a response.
pub(crate) type ReplyBody = UnsyncBoxBody<Bytes, BodyError>;

/// Makes a body of bytes that are all there.
pub(crate) fn full(bytes: Bytes) -> ReplyBody {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// Makes a body of bytes that are still to come.
pub(crate) fn streamed(
    pieces: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
) -> ReplyBody {
    let frames = StreamExt::map(pieces, |piece| piece.map(Frame::data));
    BodyExt::boxed_unsync(StreamBody::new(frames))
}

/// Returns the pieces of a body as they arrive.
pub(crate) fn pieces<B>(body: B) -> BoxStream<'static, std::io::Result<Bytes>>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BodyError>,
{
    let body = body.map_err(|error| std::io::Error::other(error.into()));
    BodyStream::new(body)
        .try_filter_map(|frame| std::future::ready(Ok(frame.into_data().ok())))
        .boxed()
}

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
            Err(Refusal::new(Reason::BAD_REQUEST, "the body of the request broke off"))
        }
        Err(_) => Err(Refusal::new(
            Reason::SLOW_BODY,
            format!("the body did not arrive within {} seconds", patience.as_secs()),
        )),
    }
}

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// It is larger than allowed.
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

/// Reads a body as far as it comes, up to `most` bytes: what arrived before a connection broke is not
/// thrown away.
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

fn too_large(most: usize) -> Refusal {
    Refusal::new(
        Reason::TOO_LARGE,
        format!("the body is larger than {most} bytes; send less, or raise the limit"),
    )
}
