//! The bodies of responses.
//!
//! In: bytes that are all there, or a stream of them. Out: one body type for the server. Never copies
//! or collects: what arrives is passed on as it is.

use bytes::Bytes;
use futures_util::Stream;
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};

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
    let frames = futures_util::StreamExt::map(pieces, |piece| piece.map(Frame::data));
    BodyExt::boxed_unsync(StreamBody::new(frames))
}
