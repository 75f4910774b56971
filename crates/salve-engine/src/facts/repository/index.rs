//! git's index, as far as the submodules in it go.
//!
//! In: the bytes of an index of version 2, 3 or 4. Out: the paths of its gitlinks and the name of the
//! index it shares, or nothing where git might read it in another way than this. Never trusts a
//! length in it.

/// What an index says about submodules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Gitlinks {
    /// Where the submodules are, relative to the work tree.
    pub(super) paths: Vec<String>,
    /// The file that holds the other part of a split index.
    pub(super) shared: Option<String>,
}

/// The mode of an entry that is a commit of another repository.
const GITLINK: u32 = 0o160_000;
/// The bytes of an entry before its hash: times, device, inode, mode, owner, size.
const STATUS: usize = 40;
const MODE_AT: usize = 24;

/// Reads the gitlinks of an index whose hashes have this many bytes.
pub(super) fn gitlinks(bytes: &[u8], hash: usize) -> Option<Gitlinks> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(4)? != b"DIRC" {
        return None;
    }
    let version = reader.number()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = reader.number()?;
    let mut found = Gitlinks::default();
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = reader.at;
        let status = reader.take(STATUS)?;
        let mode = u32::from_be_bytes(status.get(MODE_AT..MODE_AT + 4)?.try_into().ok()?);
        reader.take(hash)?;
        let flags = u16::from_be_bytes(reader.take(2)?.try_into().ok()?);
        if flags & 0x4000 != 0 {
            if version < 3 {
                return None;
            }
            reader.take(2)?;
        }
        if version == 4 {
            let kept = name.len().checked_sub(reader.offset()?)?;
            name.truncate(kept);
            name.extend(reader.until_zero()?);
        } else {
            name.clear();
            name.extend(reader.until_zero()?);
            // One to eight zeros make the entry a multiple of eight; one is read already.
            let length = reader.at - start;
            reader.take(length.next_multiple_of(8) - length)?;
        }
        if mode == GITLINK {
            found.paths.push(String::from_utf8(name.clone()).ok()?);
        }
    }
    found.shared = shared(&mut reader, hash)?;
    Some(found)
}

// The extensions after the entries; `link` names the index this one shares.
fn shared(reader: &mut Reader<'_>, hash: usize) -> Option<Option<String>> {
    while reader.bytes.len() - reader.at > hash {
        let kind = reader.take(4)?;
        let length = usize::try_from(reader.number()?).ok()?;
        let body = reader.take(length)?;
        if kind == b"link" {
            let name: String = body.get(..hash)?.iter().map(|byte| format!("{byte:02x}")).collect();
            return Some(Some(format!("sharedindex.{name}")));
        }
    }
    Some(None)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn until_zero(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        self.at += length + 1;
        rest.get(..length)
    }

    // The variable-width number of version 4: how many bytes of the name before are dropped.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            value =
                value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn index(version: u32, entries: &[(&str, u32)]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        let mut before = "";
        for (name, mode) in entries {
            let start = bytes.len();
            bytes.extend([0; MODE_AT]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; STATUS - MODE_AT - 4 + 20]);
            bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
            if version == 4 {
                bytes.push(u8::try_from(before.len()).unwrap());
                bytes.extend(name.bytes().chain([0]));
                before = name;
            } else {
                bytes.extend(name.bytes().chain([0]));
                while (bytes.len() - start) % 8 != 0 {
                    bytes.push(0);
                }
            }
        }
        bytes
    }

    #[test]
    fn gitlinks_are_found_in_every_version() {
        let entries =
            [("a.txt", 0o100_644), ("lib/sub", GITLINK), ("link", 0o120_000), ("z", GITLINK)];
        for version in 2..=4 {
            let mut bytes = index(version, &entries);
            bytes.extend([7; 20]);
            let found = gitlinks(&bytes, 20).unwrap();
            assert_eq!(found.paths, ["lib/sub", "z"], "version {version}");
            assert_eq!(found.shared, None);
        }
    }

    #[test]
    fn a_split_index_names_its_other_part() {
        let mut bytes = index(2, &[]);
        bytes.extend(b"TREE\0\0\0\x02xx");
        bytes.extend(b"link\0\0\0\x14");
        bytes.extend([0xab; 20]);
        bytes.extend([7; 20]);
        let shared = gitlinks(&bytes, 20).unwrap().shared;
        assert_eq!(shared, Some(format!("sharedindex.{}", "ab".repeat(20))));
    }

    #[test]
    fn what_is_no_index_is_refused() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x05\0\0\0\0", b"DIRC\0\0\0\x02\0\0\xff\xff"] {
            assert_eq!(gitlinks(bytes, 20), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200), version in 2u8..=4) {
            let mut all = vec![b'D', b'I', b'R', b'C', 0, 0, 0, version, 0, 0, 0, 2];
            all.extend(bytes);
            let _ = gitlinks(&all, 20);
        }
    }
}
