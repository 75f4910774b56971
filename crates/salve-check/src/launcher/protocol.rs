//! Frames on the socket between runner and launcher.
//!
//! In: a value, or bytes. Out: four bytes of length and JSON, or the value again. Never reads past
//! the end of a frame, because the next reader of the socket may be another process.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Error, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;

/// Far above what the system takes as arguments and variables of a program.
const LARGEST: u32 = 32 << 20;

/// Writes one value.
pub(crate) fn write_frame(mut socket: &UnixStream, value: &impl Serialize) -> std::io::Result<()> {
    let body = serde_json::to_vec(value)?;
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= LARGEST);
    let length = length.ok_or_else(|| Error::from(ErrorKind::FileTooLarge))?;
    let mut frame = Vec::with_capacity(body.len() + 4);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&body);
    socket.write_all(&frame)
}

/// Reads one value.
pub(crate) fn read_frame<T: DeserializeOwned>(mut socket: &UnixStream) -> std::io::Result<T> {
    let mut length = [0; 4];
    socket.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LARGEST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut body = Vec::new();
    socket.take(u64::from(length)).read_to_end(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

#[cfg(test)]
mod tests {
    use super::*;

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
