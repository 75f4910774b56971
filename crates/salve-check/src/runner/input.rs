//! What a program reads: bytes of ours, or the standard input of this process, where the caller gave it
//! one.
//!
//! In: bytes, or our own standard input. Out: an open file that may be given away, or nothing. A pipe is given as
//! it is, so that what the program does not read stays in it. Never gives away a terminal, a folder, a
//! device or a file itself: an open one is a way around the view. What a file holds is copied through a
//! pipe, from where its reader is, as far as the program reads.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::FileType;
use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

const CHUNK: usize = 64 << 10;

/// Returns what may be given away of our standard input.
pub(super) fn of_caller() -> Option<OwnedFd> {
    given(std::io::stdin().as_fd())
}

/// Returns a file that gives these bytes, as far as the program reads them.
pub(super) fn of_bytes(bytes: &[u8]) -> Option<OwnedFd> {
    let (reader, mut writer) = std::io::pipe().ok()?;
    let bytes = bytes.to_owned();
    let run = move || drop(writer.write_all(&bytes));
    std::thread::Builder::new().name("input".to_owned()).spawn(run).ok()?;
    Some(reader.into())
}

/// Tells whether the caller gave this process something that a program may read.
pub fn caller_gives_input() -> bool {
    let kind = kind(std::io::stdin().as_fd());
    matches!(kind, Some(FileType::Fifo | FileType::Socket | FileType::RegularFile))
}

fn kind(input: BorrowedFd<'_>) -> Option<FileType> {
    Some(FileType::from_raw_mode(rustix::fs::fstat(input).ok()?.st_mode))
}

fn given(input: BorrowedFd<'_>) -> Option<OwnedFd> {
    let kind = kind(input)?;
    let flags = rustix::fs::fcntl_getfl(input).ok()?;
    let readable = !flags.intersects(rustix::fs::OFlags::WRONLY);
    let only_readable = readable && !flags.intersects(rustix::fs::OFlags::RDWR);
    let own = input.try_clone_to_owned().ok()?;
    match kind {
        FileType::Fifo if only_readable => Some(own),
        FileType::Fifo | FileType::Socket if readable => copied(own, socket_to_pipe),
        FileType::RegularFile if readable => copied(own, file_to_pipe),
        _ => None,
    }
}

type Copy = fn(OwnedFd, PipeWriter) -> std::io::Result<()>;

// The thread ends with the program: nothing can be written to a pipe that has no reader.
fn copied(source: OwnedFd, copy: Copy) -> Option<OwnedFd> {
    let (reader, writer): (PipeReader, PipeWriter) = std::io::pipe().ok()?;
    let run = move || drop(copy(source, writer));
    std::thread::Builder::new().name("input".to_owned()).spawn(run).ok()?;
    Some(reader.into())
}

// The place where the caller reads on stays where it is: a loop around the command may read lines of
// the same file.
fn file_to_pipe(source: OwnedFd, mut writer: PipeWriter) -> std::io::Result<()> {
    let file = File::from(source);
    let mut at = rustix::fs::seek(&file, rustix::fs::SeekFrom::Current(0))?;
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = file.read_at(&mut buffer, at)?;
        if count == 0 {
            return Ok(());
        }
        writer.write_all(buffer.get(..count).unwrap_or_default())?;
        at += count as u64;
    }
}

fn socket_to_pipe(source: OwnedFd, mut writer: PipeWriter) -> std::io::Result<()> {
    let mut file = File::from(source);
    let mut buffer = vec![0; CHUNK];
    loop {
        let mut ready =
            [PollFd::new(&file, PollFlags::IN), PollFd::new(&writer, PollFlags::empty())];
        poll(&mut ready, None)?;
        let [_, reader_gone] = &ready;
        if !reader_gone.revents().is_empty() {
            return Ok(());
        }
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        writer.write_all(buffer.get(..count).unwrap_or_default())?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom};
    use std::os::unix::net::UnixStream;

    fn all(input: OwnedFd) -> String {
        let mut text = String::new();
        File::from(input).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_pipe_is_given_as_it_is() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let input = given(reader.as_fd()).unwrap();
        writer.write_all(b"one\ntwo\n").unwrap();
        drop(writer);
        let mut one = [0; 4];
        File::from(input).read_exact(&mut one).unwrap();
        assert_eq!(all(reader.into()), "two\n");
    }

    #[test]
    fn a_file_is_copied_from_where_its_reader_is() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![b'x'; 3 * CHUNK]).unwrap();
        file.write_all(b"end").unwrap();
        file.seek(SeekFrom::Start(5)).unwrap();
        let text = all(given(file.as_fd()).unwrap());
        assert_eq!((text.len(), text.ends_with("end")), (3 * CHUNK - 2, true));
        assert_eq!(file.stream_position().unwrap(), 5);
    }

    #[test]
    fn bytes_are_given_whole_and_a_program_that_reads_none_keeps_nobody_waiting() {
        let bytes = vec![b'x'; 3 * CHUNK];
        assert_eq!(all(of_bytes(&bytes).unwrap()).len(), 3 * CHUNK);
        drop(of_bytes(&bytes).unwrap());
    }

    #[test]
    fn a_socket_is_copied() {
        let (here, mut there) = UnixStream::pair().unwrap();
        let input = given(here.as_fd()).unwrap();
        there.write_all(b"words").unwrap();
        drop(there);
        assert_eq!(all(input), "words");
    }

    #[test]
    fn folders_and_devices_are_not_given() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), std::path::Path::new("/dev/null")] {
            assert!(given(File::open(path).unwrap().as_fd()).is_none(), "{}", path.display());
        }
    }
}
