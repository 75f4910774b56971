//! The files of an index as bytes, to be read again in a moment.
//!
//! In: files. Out: one block with a hash of itself. And back: nothing where a single byte is different, or
//! another version wrote it. Never larger than what it holds, and never a count that is believed before the
//! bytes for it are there.

use super::{MapFile, MapStamp, MapSymbol};
use salve_syntax::SymbolKind;

/// Another layout, another mark.
const MARK: &[u8; 8] = b"SALVMAP1";
const HASH: usize = 32;

const KINDS: [SymbolKind; 6] = [
    SymbolKind::Function,
    SymbolKind::Method,
    SymbolKind::Type,
    SymbolKind::Constant,
    SymbolKind::Module,
    SymbolKind::Macro,
];

/// Writes files as bytes.
pub(crate) fn encode(files: &[MapFile]) -> Vec<u8> {
    let words: usize = files.iter().map(|file| file.words.len()).sum();
    let mut body = Vec::with_capacity(words * 4 + files.len() * 256);
    number(&mut body, files.len());
    for file in files {
        text(&mut body, &file.path);
        body.extend(file.stamp.seconds.to_le_bytes());
        body.extend(file.stamp.nanoseconds.to_le_bytes());
        body.extend(file.stamp.size.to_le_bytes());
        number(&mut body, file.words.len());
        file.words.iter().for_each(|word| body.extend(word.to_le_bytes()));
        let Some(symbols) = &file.symbols else {
            body.push(0);
            continue;
        };
        body.push(1);
        number(&mut body, symbols.len());
        for symbol in symbols {
            text(&mut body, &symbol.name);
            let kind = KINDS.iter().position(|kind| *kind == symbol.kind).unwrap_or(0);
            body.push(u8::try_from(kind).unwrap_or(0));
            body.push(u8::from(symbol.is_exported));
            body.push(symbol.depth);
            body.extend(symbol.line.to_le_bytes());
            text(&mut body, &symbol.shown);
        }
    }
    let mut bytes = MARK.to_vec();
    bytes.extend(blake3::hash(&body).as_bytes());
    bytes.extend(body);
    bytes
}

/// Reads files from bytes; nothing where they are not whole.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<MapFile>> {
    let rest = bytes.strip_prefix(MARK)?;
    let (hash, body) = rest.split_at_checked(HASH)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let mut reader = Reader { rest: body };
    let count = reader.number()?;
    let mut files = Vec::with_capacity(count.min(body.len() / 32));
    for _ in 0..count {
        files.push(reader.file()?);
    }
    reader.rest.is_empty().then_some(files)
}

fn number(body: &mut Vec<u8>, number: usize) {
    body.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn text(body: &mut Vec<u8>, text: &str) {
    number(body, text.len());
    body.extend(text.as_bytes());
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.array()?)).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length)?).ok().map(str::to_owned)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn file(&mut self) -> Option<MapFile> {
        let path = self.text()?;
        let stamp = MapStamp {
            seconds: i64::from_le_bytes(self.array()?),
            nanoseconds: u32::from_le_bytes(self.array()?),
            size: u64::from_le_bytes(self.array()?),
        };
        let count = self.number()?;
        let words = self.take(count.checked_mul(4)?)?.chunks_exact(4);
        let words = words.map(|word| word.try_into().map_or(0, u32::from_le_bytes)).collect();
        let symbols = match self.byte()? {
            0 => None,
            _ => {
                let count = self.number()?;
                let mut symbols = Vec::with_capacity(count.min(self.rest.len() / 16));
                for _ in 0..count {
                    symbols.push(self.symbol()?);
                }
                Some(symbols)
            }
        };
        Some(MapFile { path, stamp, words, symbols })
    }

    fn symbol(&mut self) -> Option<MapSymbol> {
        Some(MapSymbol {
            name: self.text()?,
            kind: *KINDS.get(usize::from(self.byte()?))?,
            is_exported: self.byte()? != 0,
            depth: self.byte()?,
            line: u32::from_le_bytes(self.array()?),
            shown: self.text()?,
        })
    }
}
