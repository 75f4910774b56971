//! The table of mounts, and turning them read-only.
//!
//! In: the kernel's text about this mount namespace. Out: paths and flags. Never clears a flag: the
//! kernel refuses that to a process that did not set it.

use rustix::mount::MountFlags;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// One mount of this namespace.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// Where it is mounted.
    pub(super) path: PathBuf,
    /// The flags it has.
    pub(super) flags: MountFlags,
}

/// Reads the table of this process.
pub(super) fn read(proc: &Path) -> io::Result<Vec<Mount>> {
    Ok(parse(&std::fs::read(proc.join("self/mountinfo"))?))
}

/// Adds flags to the mount at a path, keeping those it has.
pub(super) fn add_flags(mount: &Mount, flags: MountFlags) -> io::Result<()> {
    if mount.flags.contains(flags) {
        return Ok(());
    }
    let flags = MountFlags::BIND | mount.flags | flags;
    Ok(rustix::mount::mount_remount(&mount.path, flags, c"")?)
}

fn parse(table: &[u8]) -> Vec<Mount> {
    table
        .split(|byte| *byte == b'\n')
        .filter_map(|line| {
            let mut fields = line.split(|byte| *byte == b' ').skip(4);
            let path = PathBuf::from(OsString::from_vec(unescape(fields.next()?)));
            let flags = fields.next()?.split(|byte| *byte == b',').map(flag).collect();
            Some(Mount { path, flags })
        })
        .collect()
}

fn flag(word: &[u8]) -> MountFlags {
    match word {
        b"ro" => MountFlags::RDONLY,
        b"nosuid" => MountFlags::NOSUID,
        b"nodev" => MountFlags::NODEV,
        b"noexec" => MountFlags::NOEXEC,
        b"noatime" => MountFlags::NOATIME,
        b"nodiratime" => MountFlags::NODIRATIME,
        b"relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    }
}

/// Blanks, line ends and backslashes stand there as three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, tail)) = rest.split_first() {
        let octal = tail.get(..3).filter(|digits| first == b'\\' && digits.iter().all(is_octal));
        match octal {
            Some(digits) => {
                plain.push(
                    digits.iter().fold(0_u8, |value, digit| {
                        value.wrapping_mul(8).wrapping_add(digit - b'0')
                    }),
                );
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                plain.push(first);
                rest = tail;
            }
        }
    }
    plain
}

fn is_octal(byte: &u8) -> bool {
    (b'0'..=b'7').contains(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_its_path_and_its_flags() {
        let line = b"36 35 98:0 /a /mnt\\040x\\134y ro,nosuid,relatime shared:1 - ext4 /dev/x rw\n";
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::RELATIME;
        assert_eq!(parse(line), [Mount { path: PathBuf::from("/mnt x\\y"), flags }]);
    }

    #[test]
    fn hostile_tables_are_read_without_a_panic() {
        for table in
            [&b""[..], b"\n\n", b"1 2 3 4", b"1 2 3 4 \\", b"1 2 3 4 \\777 ", b"\0\xFF \\0"]
        {
            let _ = parse(table);
        }
    }
}
