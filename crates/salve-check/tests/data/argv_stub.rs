//! The program that every name stands for in the tests of the shell subset.
//!
//! In: the words and descriptors it was started with. Out: one record of them, appended to the file
//! `log` beside the working folder. Never reads its input or writes to its outputs; a name that
//! begins with `no` fails.

use std::io::Write as _;
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<Vec<u8>> = std::env::args_os().map(OsStringExt::into_vec).collect();
    let mut record = Vec::new();
    for word in &words {
        record.extend_from_slice(word);
        record.push(0);
    }
    for descriptor in 0..3 {
        record.extend_from_slice(&where_it_goes(descriptor));
        record.push(0);
    }
    // Two newlines end a record: no word of the subset can hold one.
    record.extend_from_slice(b"\n\n");
    let log = std::fs::OpenOptions::new().append(true).create(true).open("../log");
    match log.and_then(|mut log| log.write_all(&record)) {
        Ok(()) if words.first().is_some_and(|name| name.starts_with(b"no")) => ExitCode::from(1),
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(99),
    }
}

// The file behind a descriptor, and whether it was opened to be read, written or appended to.
fn where_it_goes(descriptor: u8) -> Vec<u8> {
    let target = std::fs::read_link(format!("/proc/self/fd/{descriptor}"));
    let mut text = match target {
        Ok(target) => target.into_os_string().into_vec(),
        Err(_) => return b"closed".to_vec(),
    };
    if text.starts_with(b"pipe:") {
        return b"pipe".to_vec();
    }
    let info =
        std::fs::read_to_string(format!("/proc/self/fdinfo/{descriptor}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap_or("").trim();
    let flags = u32::from_str_radix(flags, 8).unwrap_or(u32::MAX);
    // The access mode and O_APPEND; the rest differs by who opened it.
    text.extend_from_slice(format!(" {:o}", flags & 0o2003).as_bytes());
    text
}
