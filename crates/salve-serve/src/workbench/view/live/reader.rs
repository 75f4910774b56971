//! The fields of an answer that people read, out of JSON that is not whole.
//!
//! In: pieces of text. Out: the letters of a few fields, decoded, each as soon as it is certain. What is no object is
//! given out as it is. Never looks back and never fails: text that is no JSON simply gives nothing more.

/// A field that is shown while it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// `summary`.
    Summary,
    /// `sections[].heading`.
    Heading,
    /// `sections[].content`.
    Content,
    /// `fileChanges[].path`.
    Path,
    /// `fileChanges[].content`.
    File,
    /// All of a text that is no object.
    Plain,
}

/// What arrived of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPart {
    /// It begins.
    Begin(Field),
    /// These letters of it.
    Text(Field, String),
    /// It is whole.
    End(Field),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Nothing is decided: white space, or the beginning of a fence.
    #[default]
    Before,
    Plain,
    Json,
    Over,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Frame {
    /// An object, with the key at hand and whether a value comes next.
    Object {
        key: String,
        value: bool,
    },
    Array,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum InString {
    #[default]
    No,
    Key,
    Hidden,
    Shown(Field),
}

/// Nothing deeper than this is looked at.
const DEEPEST: usize = 64;

/// Reads an answer while it arrives.
#[derive(Debug, Clone, Default)]
pub struct AnswerReader {
    mode: Mode,
    before: String,
    frames: Vec<Frame>,
    string: InString,
    escape: Option<String>,
    /// The first half of a letter that is written as two.
    high: Option<u16>,
    out: Vec<FieldPart>,
}

impl AnswerReader {
    /// Takes a piece.
    pub fn push(&mut self, piece: &str) -> Vec<FieldPart> {
        match self.mode {
            Mode::Plain => self.text(Field::Plain, piece),
            Mode::Before => {
                self.before.push_str(piece);
                self.decide(false);
            }
            Mode::Json => piece.chars().for_each(|letter| self.letter(letter)),
            Mode::Over => {}
        }
        std::mem::take(&mut self.out)
    }

    /// Ends the text.
    pub fn finish(&mut self) -> Vec<FieldPart> {
        if self.mode == Mode::Before {
            self.decide(true);
        }
        match (self.mode, self.string) {
            (Mode::Plain, _) => self.out.push(FieldPart::End(Field::Plain)),
            (_, InString::Shown(field)) => self.out.push(FieldPart::End(field)),
            _ => {}
        }
        self.mode = Mode::Over;
        std::mem::take(&mut self.out)
    }

    // An object, in a fence or not, is read by its fields; everything else is text.
    fn decide(&mut self, at_end: bool) {
        const FENCES: [&str; 3] = ["```json", "```JSON", "```"];
        let rest = self.before.trim_start_matches('\u{feff}').trim_start();
        let inner = FENCES.iter().find_map(|fence| rest.strip_prefix(fence)).unwrap_or(rest);
        let inner = inner.trim_start();
        let is_open = rest.is_empty()
            || inner.is_empty()
            || FENCES.iter().any(|fence| fence.starts_with(rest));
        if is_open && !at_end {
            return;
        }
        if inner.starts_with('{') {
            self.mode = Mode::Json;
            let inner = inner.to_owned();
            inner.chars().for_each(|letter| self.letter(letter));
        } else if !rest.is_empty() {
            self.mode = Mode::Plain;
            self.out.push(FieldPart::Begin(Field::Plain));
            let rest = rest.to_owned();
            self.text(Field::Plain, &rest);
        }
        self.before.clear();
    }

    fn text(&mut self, field: Field, text: &str) {
        match self.out.last_mut() {
            Some(FieldPart::Text(of, before)) if *of == field => before.push_str(text),
            _ if text.is_empty() => {}
            _ => self.out.push(FieldPart::Text(field, text.to_owned())),
        }
    }

    fn letter(&mut self, letter: char) {
        if self.mode == Mode::Over {
            return;
        }
        if self.string != InString::No {
            return self.in_string(letter);
        }
        match letter {
            '{' | '[' if self.frames.len() >= DEEPEST => self.mode = Mode::Over,
            '{' => self.frames.push(Frame::Object { key: String::new(), value: false }),
            '[' => self.frames.push(Frame::Array),
            '}' | ']' => {
                self.frames.pop();
                if self.frames.is_empty() {
                    self.mode = Mode::Over;
                }
            }
            ':' => {
                if let Some(Frame::Object { value, .. }) = self.frames.last_mut() {
                    *value = true;
                }
            }
            ',' => {
                if let Some(Frame::Object { key, value }) = self.frames.last_mut() {
                    key.clear();
                    *value = false;
                }
            }
            '"' => self.open_string(),
            _ => {}
        }
    }

    fn open_string(&mut self) {
        self.string = match self.frames.last_mut() {
            Some(Frame::Object { key, value: false }) => {
                key.clear();
                InString::Key
            }
            _ => self.field().map_or(InString::Hidden, InString::Shown),
        };
        if let InString::Shown(field) = self.string {
            self.out.push(FieldPart::Begin(field));
        }
    }

    fn field(&self) -> Option<Field> {
        let key = |frame: &Frame| match frame {
            Frame::Object { key, .. } => Some(key.clone()),
            Frame::Array => None,
        };
        let keys: Vec<Option<String>> = self.frames.iter().map(key).collect();
        let keys: Vec<Option<&str>> = keys.iter().map(Option::as_deref).collect();
        match keys.as_slice() {
            [Some("summary")] => Some(Field::Summary),
            [Some("sections"), None, Some("heading")] => Some(Field::Heading),
            [Some("sections"), None, Some("content")] => Some(Field::Content),
            [Some("fileChanges"), None, Some("path")] => Some(Field::Path),
            [Some("fileChanges"), None, Some("content" | "diff")] => Some(Field::File),
            _ => None,
        }
    }

    fn in_string(&mut self, letter: char) {
        if let Some(escape) = &mut self.escape {
            escape.push(letter);
            let escape = escape.clone();
            return self.escaped(&escape);
        }
        match letter {
            '\\' => self.escape = Some(String::new()),
            '"' => {
                if let InString::Shown(field) = self.string {
                    self.out.push(FieldPart::End(field));
                }
                (self.string, self.high) = (InString::No, None);
            }
            letter => self.shown(letter),
        }
    }

    fn escaped(&mut self, escape: &str) {
        let letter = match escape.chars().next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b' | 'f') => ' ',
            Some('u') if escape.len() < 5 => return,
            Some('u') => {
                self.escape = None;
                return self.unit(escape.get(1..).unwrap_or_default());
            }
            Some(other) => other,
            None => return,
        };
        self.escape = None;
        self.shown(letter);
    }

    fn unit(&mut self, digits: &str) {
        let Ok(unit) = u16::from_str_radix(digits, 16) else { return };
        let units: Vec<u16> = self.high.take().into_iter().chain([unit]).collect();
        if (0xd800..0xdc00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        for letter in char::decode_utf16(units) {
            self.shown(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    fn shown(&mut self, letter: char) {
        match self.string {
            InString::Shown(field) => {
                let mut buffer = [0; 4];
                let text = letter.encode_utf8(&mut buffer).to_owned();
                self.text(field, &text);
            }
            InString::Key => {
                if let Some(Frame::Object { key, .. }) = self.frames.last_mut()
                    && key.len() < 64
                {
                    key.push(letter);
                }
            }
            InString::Hidden | InString::No => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fields(pieces: &[&str]) -> Vec<(Field, String)> {
        let mut reader = AnswerReader::default();
        let mut parts: Vec<FieldPart> = Vec::new();
        for piece in pieces {
            parts.extend(reader.push(piece));
        }
        parts.extend(reader.finish());
        let mut fields: Vec<(Field, String)> = Vec::new();
        for part in parts {
            match part {
                FieldPart::Begin(field) => fields.push((field, String::new())),
                FieldPart::Text(field, text) => {
                    let last = fields.last_mut().unwrap();
                    assert_eq!(last.0, field);
                    last.1.push_str(&text);
                }
                FieldPart::End(field) => assert_eq!(fields.last().unwrap().0, field),
            }
        }
        fields
    }

    #[test]
    fn escapes_fences_and_depth() {
        let face = fields(&[r#"{"summary":"a\u00e9\ud83d\ude00\n\"\\\/"}"#]);
        assert_eq!(face, [(Field::Summary, "aé😀\n\"\\/".to_owned())]);
        let fenced = fields(&["``", "`js", "on\n{\"summ", "ary\": \"x\"}\n```"]);
        assert_eq!(fenced, [(Field::Summary, "x".to_owned())]);
        let plain = fields(&["```python\nx = 1\n```"]);
        assert_eq!(plain, [(Field::Plain, "```python\nx = 1\n```".to_owned())]);
        assert_eq!(
            fields(&["{\"a\":{\"summary\":\"no\"},\"summary\":\"yes\"}"]),
            [(Field::Summary, "yes".to_owned())]
        );
        assert!(fields(&[&"[".repeat(10_000), "{\"summary\":\"x\"}"]).len() <= 1);
        assert!(fields(&["", "  \n"]).is_empty());
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            text in "(```json\n|```|  )?[{]?(\"(summary|sections|path|content)\"|[{}\\[\\]:,\"\\\\nu0-9a-f ]|😀){0,60}",
            cut in 0_usize..80,
        ) {
            let cut = text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(cut).unwrap_or(text.len());
            let (first, second) = text.split_at(cut);
            prop_assert_eq!(fields(&[first, second]), fields(&[&text]));
        }
    }
}
