//! A judgement in the formats of other tools: SARIF and GitHub annotations.
//!
//! In: a judgement. Out: a SARIF 2.1.0 document or workflow commands. Never adds an opinion.

use salve_engine::pipeline::Judgement;
use salve_types::{Position, TruncationKind};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;

/// One line of a report: code, words, place.
struct Entry<'a> {
    code: &'static str,
    message: &'a str,
    place: Position,
}

/// The judgement as a SARIF document, written as it is made.
pub(crate) struct Sarif<'a> {
    /// The text that was judged.
    pub(crate) text: &'a str,
    /// How the text is called.
    pub(crate) name: &'a str,
    /// What was found.
    pub(crate) judgement: &'a Judgement,
}

impl Serialize for Sarif<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("version", "2.1.0")?;
        fields.serialize_entry("$schema", "https://json.schemastore.org/sarif-2.1.0.json")?;
        fields.serialize_entry("runs", &[Run(self)])?;
        fields.end()
    }
}

struct Run<'a>(&'a Sarif<'a>);

impl Serialize for Run<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let version = env!("CARGO_PKG_VERSION");
        let mut fields = serializer.serialize_map(None)?;
        let tool = json!({ "driver": { "name": "salve", "version": version } });
        fields.serialize_entry("tool", &tool)?;
        fields.serialize_entry("results", &Results(self.0))?;
        fields.end()
    }
}

struct Results<'a>(&'a Sarif<'a>);

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Sarif { text, name, judgement } = *self.0;
        serializer.collect_seq(entries(text, judgement).iter().map(|entry| {
            let place = json!({ "startLine": entry.place.line, "startColumn": entry.place.column });
            json!({
                "ruleId": entry.code,
                "level": "error",
                "message": { "text": entry.message },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": name },
                    "region": place,
                }}],
            })
        }))
    }
}

/// Returns the judgement as annotations of GitHub Actions.
pub(crate) fn github(text: &str, name: &str, judgement: &Judgement) -> String {
    entries(text, judgement)
        .iter()
        .map(|entry| {
            format!(
                "::error file={},line={},col={},title={}::{}\n",
                escaped(name).replace(':', "%3A").replace(',', "%2C"),
                entry.place.line,
                entry.place.column,
                entry.code,
                escaped(entry.message),
            )
        })
        .collect()
}

fn entries<'a>(text: &str, judgement: &'a Judgement) -> Vec<Entry<'a>> {
    let verdict = &judgement.verdict;
    let mut entries = Vec::new();
    if !verdict.is_valid {
        entries.push(Entry {
            code: verdict.kind.map_or("SYNTAX_ERROR", TruncationKind::name),
            message: verdict.error_message.as_deref().unwrap_or("the text is cut"),
            place: Position::of(text, text.trim_end().len()),
        });
    }
    let mut places = Places::new(text);
    entries.extend(judgement.findings.iter().map(|finding| Entry {
        code: finding.code.name(),
        message: &finding.message,
        place: places.of(finding.span.start),
    }));
    entries
}

// Counts on from the place before, so that any number of findings costs one pass over the text.
struct Places<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    fn of(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        if offset < self.at {
            *self = Self::new(self.text);
        }
        let passed = &self.text.as_bytes()[self.at..offset];
        let last = passed.iter().rposition(|&byte| byte == b'\n');
        if let Some(last) = last {
            self.line += passed.iter().filter(|&&byte| byte == b'\n').count();
            self.column = 1 + characters(&passed[last + 1..]);
        } else {
            self.column += characters(passed);
        }
        self.at = offset;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position { line: number(self.line), column: number(self.column) }
    }
}

// Continuation bytes are not characters; counting the others counts characters.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_counted_on_are_places_counted_anew() {
        let text = "é one\ntwo\n\nfour é x\n";
        let mut places = Places::new(text);
        let offsets = [0, 2, 3, 7, 8, 10, 11, 12, 20, text.len(), 7, 99];
        for offset in offsets.into_iter().filter(|&it| it > text.len() || text.is_char_boundary(it))
        {
            assert_eq!(places.of(offset), Position::of(text, offset), "{offset}");
        }
    }
}
