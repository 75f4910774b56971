//! git's index, as far as the submodules in it go.
//!
//! In: the bytes of an index. Out: the paths of its gitlinks and the name of the index it shares, or
//! nothing where git might read it in another way. Never takes a path that is no text.

use salve_check::{GITLINK, read_git_index};

/// What an index says about submodules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Gitlinks {
    /// Where the submodules are, relative to the work tree.
    pub(super) paths: Vec<String>,
    /// The file that holds the other part of a split index.
    pub(super) shared: Option<String>,
}

/// Reads the gitlinks of an index whose hashes have this many bytes.
pub(super) fn gitlinks(bytes: &[u8], hash: usize) -> Option<Gitlinks> {
    let mut paths: Vec<Option<String>> = Vec::new();
    let shared = read_git_index(bytes, hash, |mode, name| {
        if mode == GITLINK {
            paths.push(String::from_utf8(name.to_vec()).ok());
        }
    })?;
    Some(Gitlinks { paths: paths.into_iter().collect::<Option<_>>()?, shared })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STATUS: usize = 40;
    const MODE_AT: usize = 24;

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
                while !(bytes.len() - start).is_multiple_of(8) {
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
