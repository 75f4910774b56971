//! git's index, as far as the names of its entries go.
//!
//! In: the bytes of an index of version 2, 3 or 4. Out: the mode and the path of every entry, and the
//! name of the index it shares, or nothing where git might read it in another way than this. Never
//! trusts a length in it.

/// The bytes of an entry before its hash: times, device, inode, mode, owner, size.
const STATUS: usize = 40;
const MODE_AT: usize = 24;

/// The mode of an entry that is a commit of another repository.
pub const GITLINK: u32 = 0o160_000;

/// Reads an index whose hashes have this many bytes, and shows every entry's mode and path. Returns the
/// name of the file that holds the other part of a split index; nothing at all where it is no index.
pub fn read_git_index(
    bytes: &[u8],
    hash: usize,
    mut visit: impl FnMut(u32, &[u8]),
) -> Option<Option<String>> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(4)? != b"DIRC" {
        return None;
    }
    let version = reader.number()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = reader.number()?;
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
        visit(mode, &name);
    }
    shared(&mut reader, hash)
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
