//! What a generator is asked.
//!
//! In: the request, the target and what is in it, the payload, the schema of the block. Out: the standing
//! instructions and the message. Never more than a few pages of one segment.

use super::manifest::FlowBlock;
use salve_text::SchemaCarrier;
use salve_types::{Segment, SegmentKind};
use serde_json::Value;
use std::fmt::Write;

/// How many characters of one segment, or of the file, are shown.
const MOST: usize = 40_000;

/// What a generator is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePrompt {
    /// The standing instructions.
    pub system: String,
    /// The message.
    pub prompt: String,
}

/// Makes the question of a block.
pub fn code_prompt(
    block: &FlowBlock,
    request: &str,
    (path, current): (Option<&str>, Option<&str>),
    schema: Option<(&Value, SchemaCarrier)>,
    payload: &[Segment],
) -> CodePrompt {
    let mut system = String::from(
        "You write one file of a software project. Give the whole content of the file, from its first line to its \
         last: nothing is left out, nothing is abbreviated.\n",
    );
    match schema {
        Some((schema, SchemaCarrier::Json)) => {
            let shown = serde_json::to_string_pretty(schema).unwrap_or_default();
            let _ = writeln!(
                system,
                "Answer with one JSON value and nothing else, no words before or after it. It must fit this JSON \
                 Schema; code is in it as an ordinary JSON string:\n{shown}"
            );
        }
        _ => system.push_str(
            "Answer with the content alone, in one fenced block, without an explanation.\n",
        ),
    }
    if let Some(instructions) = &block.options.instructions {
        let _ = writeln!(system, "\n{instructions}");
    }
    let mut prompt = format!("# Request\n\n{}\n", beginning(request));
    if let Some(path) = path {
        let _ = match current {
            Some(text) => {
                let fence = "`".repeat(longest_ticks(text).max(2) + 1);
                writeln!(
                    prompt,
                    "\n# The file `{path}` as it is\n\n{fence}\n{}\n{fence}",
                    beginning(text)
                )
            }
            None => writeln!(prompt, "\n# The file\n\n`{path}` does not exist yet."),
        };
    }
    for segment in payload {
        let title = match segment.kind {
            SegmentKind::Request => continue,
            SegmentKind::CodeOutput => "What was made before",
            SegmentKind::ValidationError => "Why it was not taken",
            SegmentKind::FileWritten => "What was written",
            SegmentKind::CheckReport => "What the check says",
            SegmentKind::CommandOutput => "What the command wrote",
            _ => continue,
        };
        let _ = writeln!(prompt, "\n# {title}\n\n{}", beginning(&segment.content));
    }
    CodePrompt { system, prompt }
}

fn beginning(text: &str) -> &str {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

fn longest_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
