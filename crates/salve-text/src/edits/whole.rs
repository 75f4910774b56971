//! Whole files: fenced blocks and tags that name a file, or one text for the file that is meant.
//!
//! In: a reply. Out: the new content of each file it shows, as a whole or with places that stand
//! for lines of the old file. Never takes an example in prose for a file: a block counts when a
//! path names it, or when it is the only content and the caller says which file is meant. Never
//! takes a text for a file that its label says is a diff.

mod tagged;
#[cfg(test)]
mod tests;

use super::EditOptions;
use super::lines::says_diff;
use super::names::{known_name, quoted_path};
use crate::clean::{
    CleanOptions, CleanReply, Labelled, blank_thinking, clean, find_blocks, label_blocks,
    label_name,
};
use crate::omissions::{find_omissions, without_removal_marks};
use crate::prose::{reads_like_code, reads_like_talk};
use salve_types::{
    EditEnd, EditFormat, EditSet, FileChange, FileEdit, FindingCode, Language, RawReply, Span,
};
use tagged::find_tagged;

/// Reads the format; `None` when the text is not in it.
pub(super) fn read(text: &str, options: &EditOptions) -> Option<EditSet> {
    if text.trim().is_empty() {
        return None;
    }
    // What the model only thought of is no file.
    let said = blank_thinking(text);
    let blocks = label_blocks(&said, &find_blocks(&said));
    tagged_files(&said)
        .or_else(|| named_files(&said, &blocks, options))
        .or_else(|| target_file(text, options))
}

fn tagged_files(text: &str) -> Option<EditSet> {
    let mut files = Vec::new();
    let mut end = EditEnd::Complete;
    for tagged in find_tagged(text) {
        if !tagged.closed {
            let why = format!("the tag around {} is not closed", tagged.path);
            end = EditEnd::Truncated { at: tagged.span.start, why };
        }
        let language = Language::from_path(&tagged.path);
        let change = content_change(tagged.content.to_owned(), language, false);
        let path = Some(tagged.path);
        files.push(FileEdit { path, change, rename_to: None, mode: None, span: tagged.span });
    }
    (!files.is_empty()).then(|| set(files, end))
}

// A document shows other files in its own fences, so a document that is asked for comes first.
fn named_files(text: &str, blocks: &[Labelled], options: &EditOptions) -> Option<EditSet> {
    let wants_document = is_labelled(options)
        && options.target.as_deref().and_then(Language::from_path) == Some(Language::Markdown);
    if wants_document {
        return None;
    }
    let mut files = Vec::new();
    let mut end = EditEnd::Complete;
    for block in blocks {
        let info = text.get(block.fenced.info.range()).unwrap_or_default();
        let opener = block.fenced.opener.start;
        let named = block
            .label
            .path
            .clone()
            .or_else(|| announced(text, opener))
            .or_else(|| named_above(text, opener, options));
        let Some(path) = named.filter(|_| !says_diff(info)) else { continue };
        let span = block.fenced.whole();
        if !block.fenced.closed {
            let why = format!("the block of {path} is not closed");
            end = EditEnd::Truncated { at: span.start, why };
        }
        let content = without_indent(
            text.get(block.fenced.content.range()).unwrap_or_default(),
            block.fenced.indent,
        );
        let change = content_change(content, Language::from_path(&path), false);
        files.push(FileEdit { path: Some(path), change, rename_to: None, mode: None, span });
    }
    (!files.is_empty()).then(|| set(files, end))
}

// A line of its own right above the fence that is the name of a file.
fn named_above(text: &str, fence: usize, options: &EditOptions) -> Option<String> {
    let line = text.get(..fence)?.trim_end().lines().next_back()?.trim();
    known_name(line, &options.files).filter(|name| label_name(line) == name)
}

// "Here is the new version of `a.py`:" announces a whole file; "In `a.py`, add this:" does not.
fn announced(text: &str, fence: usize) -> Option<String> {
    #[rustfmt::skip]
    const WHOLE: &[&str] = &[
        "new version of", "updated version of", "full version of", "complete version of",
        "full content", "complete content", "entire content", "entire file", "full file",
        "complete file", "whole file", "new file", "content of", "contents of",
    ];
    let before = text.get(..fence)?.trim_end();
    let line = before.lines().next_back()?.trim();
    let words = line.to_ascii_lowercase();
    let is_whole = line.ends_with(':') && WHOLE.iter().any(|phrase| words.contains(phrase));
    is_whole.then(|| quoted_path(line)).flatten()
}

// The whole reply, less the talk around it, is the content of the file that the caller means.
fn target_file(text: &str, options: &EditOptions) -> Option<EditSet> {
    let target = options.target.as_deref()?;
    if options.format.is_some() && !is_labelled(options) {
        return None;
    }
    let clean_options = CleanOptions { path: Some(target.to_owned()), ..CleanOptions::default() };
    let reply = clean(&RawReply::from_text(text), &clean_options);
    if !is_labelled(options) && !is_plainly_one_file(&reply) {
        return None;
    }
    let mut taken = reply.blocks().iter().filter(|block| block.chosen);
    if taken.any(|block| says_diff(&block.info)) {
        return None;
    }
    let cut = reply.unclosed_fence() || reply.unclosed_wrapper() || reply.unclosed_thinking();
    let end = if cut {
        let at = reply.blocks().iter().find(|block| !block.closed).map_or(0, |b| b.span.start);
        EditEnd::Truncated { at, why: "the reply ends inside the file's content".to_owned() }
    } else {
        EditEnd::Complete
    };
    let span = Span::new(0, text.len());
    let change = content_change(reply.into_text(), Language::from_path(target), false);
    Some(set(vec![FileEdit { path: None, change, rename_to: None, mode: None, span }], end))
}

/// Says what a content does to its file.
///
/// Content in which a comment stands for lines of the old file is not the whole file.
pub(super) fn content_change(
    content: String,
    language: Option<Language>,
    is_new: bool,
) -> FileChange {
    let content = without_removal_marks(content);
    let stands_for_more = find_omissions(&content, language.unwrap_or(Language::Text))
        .iter()
        .any(|finding| finding.code == FindingCode::OmissionMarker);
    match (stands_for_more, is_new) {
        (true, _) => FileChange::Lazy(content),
        (false, true) => FileChange::Create(content),
        (false, false) => FileChange::Write(content),
    }
}

// No one says that a whole file is meant: then the reply must be one block, or code and nothing
// else. A reply with several pieces of code explains something.
fn is_plainly_one_file(reply: &CleanReply) -> bool {
    match reply.blocks() {
        [] => reads_like_code(reply.text().lines()) && !reads_like_talk_first(reply.text()),
        [only] => only.chosen,
        _ => false,
    }
}

fn reads_like_talk_first(text: &str) -> bool {
    const FIRST_LINES: usize = 3;
    let first: Vec<&str> =
        text.lines().filter(|line| !line.trim().is_empty()).take(FIRST_LINES).collect();
    reads_like_talk(&first)
}

fn is_labelled(options: &EditOptions) -> bool {
    matches!(options.format, Some(EditFormat::WholeFile | EditFormat::LazyFile))
}

fn set(files: Vec<FileEdit>, end: EditEnd) -> EditSet {
    let lazy = files.iter().any(|file| matches!(file.change, FileChange::Lazy(_)));
    let format = if lazy { EditFormat::LazyFile } else { EditFormat::WholeFile };
    EditSet { format, files, end, notes: Vec::new(), hashes: None }
}

// A fence in a list is indented, and so are the lines in it.
fn without_indent(content: &str, indent: usize) -> String {
    if indent == 0 {
        return content.to_owned();
    }
    content
        .split_inclusive('\n')
        .map(|line| {
            let spaces = line.bytes().take(indent).take_while(|&byte| byte == b' ').count();
            line.get(spaces..).unwrap_or(line)
        })
        .collect()
}
