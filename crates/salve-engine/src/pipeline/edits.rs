//! The edits of a reply, with the inspector's word on every whole file among them.
//!
//! In: a reply as received. Out: an edit set that says where it was cut, if it was. Never: a set that
//! says it is complete of a reply, or with a whole file, that the inspector calls cut.

use super::receive::{PipelineOptions, Received, inspect_options, inspected, receive};
use salve_text::{EditOptions, InspectOptions, parse_edits, possible_names};
use salve_tree::{FileView, ViewError};
use salve_types::{EditEnd, EditSet, FileChange, FileEdit, FinishReason, RawReply, Verdict};

/// Reads the edits of a reply about a tree: what names a file of it is a path, whatever it looks
/// like, and so is what the tree refuses as one.
pub fn read_edits_of(
    raw: &RawReply,
    view: &dyn FileView,
    edits: &EditOptions,
    options: &PipelineOptions,
) -> EditSet {
    let names = possible_names(&raw.text).into_iter().filter(|name| is_file(view, name));
    let files = edits.files.iter().cloned().chain(names).collect();
    read_edits(raw, &EditOptions { files, ..edits.clone() }, options)
}

fn is_file(view: &dyn FileView, name: &str) -> bool {
    match view.admit(name) {
        Ok(path) => view.read(&path).map_or(true, |file| file.is_some()),
        // A protected name is one whatever it looks like. Words with a stroke between them are refused
        // nowhere; an address of the web is no path.
        Err(ViewError::Refused { rule, .. }) => {
            (rule.is_protected() || name.contains('/'))
                && !name.contains("://")
                && !name.contains(char::is_whitespace)
        }
        Err(_) => false,
    }
}

/// Reads the edits of a reply and inspects the whole files among them.
pub fn read_edits(raw: &RawReply, edits: &EditOptions, options: &PipelineOptions) -> EditSet {
    let mut set = parse_edits(&raw.text, edits);
    if set.end != EditEnd::Complete {
        return set;
    }
    let inspect = inspect_options(raw, options);
    let cut = set.files.iter().find_map(|file| {
        let verdict = judge_content(file, edits.target.as_deref(), &inspect)?;
        (!verdict.is_valid).then(|| cut_in(file, &verdict))
    });
    if let Some(end) = cut.or_else(|| cut_by_provider(raw, options)) {
        set.end = end;
    }
    set
}

// A diff or a dialogue about edits is no text of a language, so that the inspector's word on the
// whole reply is asked for only where the provider says that it stopped the model.
fn cut_by_provider(raw: &RawReply, options: &PipelineOptions) -> Option<EditEnd> {
    let reason = raw.finish_reason.as_ref().filter(|reason| FinishReason::is_early(reason))?;
    let Received::Cut(cut) = receive(raw, options) else { return None };
    let why = cut.verdict().error_message.as_deref().unwrap_or("the text is cut");
    let at = raw.text.len();
    Some(EditEnd::Truncated { at, why: format!("{why} ({})", reason.name()) })
}

// A marker of completion ends the reply, not each file in it, and the provider stopped the reply,
// not each file in it. So both stay out of the judgement of a file.
fn judge_content(
    file: &FileEdit,
    target: Option<&str>,
    options: &InspectOptions,
) -> Option<Verdict> {
    let (FileChange::Write(content) | FileChange::Create(content)) = &file.change else {
        return None;
    };
    let path = file.path.as_deref().or(target)?;
    let options = InspectOptions {
        language: None,
        path: Some(path.to_owned()),
        sentinel: salve_text::SentinelRule::None,
        finish_reason: None,
        ..options.clone()
    };
    Some(inspected(content, &options))
}

fn cut_in(file: &FileEdit, verdict: &Verdict) -> EditEnd {
    let name = file.path.as_deref().unwrap_or("the file");
    let line = verdict.truncation_line.unwrap_or(1);
    let why = verdict.error_message.as_deref().unwrap_or("the text is cut");
    EditEnd::Truncated {
        at: file.span.end,
        why: format!("the content of {name} ends at its line {line}: {why}"),
    }
}
