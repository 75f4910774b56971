//! Frames on the socket between runner and launcher.
//!
//! In: a value, or bytes. Out: four bytes of length and JSON, or the value again; an open file may come
//! along with it. Never reads past the end of a frame, because the next reader of the socket may be
//! another process.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Error, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Far above what the system takes as arguments and variables of a program.
const LARGEST: u32 = 32 << 20;

/// Writes one value.
pub(crate) fn write_frame(mut socket: &UnixStream, value: &impl Serialize) -> std::io::Result<()> {
    let (length, body) = encoded(value)?;
    let mut frame = Vec::with_capacity(body.len() + length.len());
    frame.extend_from_slice(&length);
    frame.extend_from_slice(&body);
    socket.write_all(&frame)
}

/// Writes one value, and passes an open file to its reader.
pub(crate) fn write_frame_with(
    mut socket: &UnixStream,
    value: &impl Serialize,
    file: BorrowedFd<'_>,
) -> std::io::Result<()> {
    let (length, body) = encoded(value)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file];
    control.push(SendAncillaryMessage::ScmRights(&files));
    let sent =
        rustix::net::sendmsg(socket, &[IoSlice::new(&length)], &mut control, SendFlags::empty())?;
    socket.write_all(length.get(sent..).unwrap_or_default())?;
    socket.write_all(&body)
}

/// Reads one value, and takes the open file that came along with it.
pub(crate) fn read_frame_with<T: DeserializeOwned>(
    mut socket: &UnixStream,
) -> std::io::Result<(T, Option<OwnedFd>)> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::net::recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut length)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    match length.get_mut(received.bytes..) {
        Some(_) if received.bytes == 0 => return Err(ErrorKind::UnexpectedEof.into()),
        rest => socket.read_exact(rest.unwrap_or_default())?,
    }
    let length = u32::from_le_bytes(length);
    if length > LARGEST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut body = Vec::new();
    socket.take(u64::from(length)).read_to_end(&mut body)?;
    Ok((serde_json::from_slice(&body)?, file))
}

fn encoded(value: &impl Serialize) -> std::io::Result<([u8; 4], Vec<u8>)> {
    let body = serde_json::to_vec(value)?;
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= LARGEST);
    let length = length.ok_or_else(|| Error::from(ErrorKind::FileTooLarge))?;
    Ok((length.to_le_bytes(), body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_frame<T: DeserializeOwned>(socket: &UnixStream) -> std::io::Result<T> {
        read_frame_with(socket).map(|(value, _)| value)
    }

    #[test]
    fn two_readers_of_one_socket_get_a_frame_each() {
        let (here, there) = UnixStream::pair().unwrap();
        write_frame(&here, &"first").unwrap();
        write_frame(&here, &"second").unwrap();
        let other = there.try_clone().unwrap();
        assert_eq!(read_frame::<String>(&there).unwrap(), "first");
        assert_eq!(read_frame::<String>(&other).unwrap(), "second");
    }

    #[test]
    fn an_open_file_reaches_the_reader_it_was_sent_to() {
        let (here, there) = UnixStream::pair().unwrap();
        let (reader, mut writer) = std::io::pipe().unwrap();
        write_frame(&here, &"first").unwrap();
        write_frame_with(&here, &"second", std::os::fd::AsFd::as_fd(&reader)).unwrap();
        drop(reader);
        let (first, nothing) = read_frame_with::<String>(&there).unwrap();
        let (second, file) = read_frame_with::<String>(&there).unwrap();
        assert_eq!((first.as_str(), second.as_str(), nothing.is_none()), ("first", "second", true));
        writer.write_all(b"words").unwrap();
        drop(writer);
        let mut text = String::new();
        std::fs::File::from(file.unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "words");
    }

    #[test]
    fn a_frame_that_is_cut_or_too_long_is_an_error() {
        for bytes in
            [&[][..], &[1, 0], &[9, 0, 0, 0, b'"'], &[255, 255, 255, 255, 1], &[1, 0, 0, 0, b'{']]
        {
            let (mut here, there) = UnixStream::pair().unwrap();
            here.write_all(bytes).unwrap();
            drop(here);
            assert!(read_frame::<String>(&there).is_err(), "{bytes:?}");
        }
    }
}
