//! The names under which tools carry the parts of an edit, as data.
//!
//! In: nothing. Out: lists of keys, the usual ones first. Never holds a name that means something
//! else in another tool.

/// The file.
#[rustfmt::skip]
pub(super) const PATH: &[&str] = &[
    "path", "filePath", "file_path", "file", "filename", "fileName", "target_file", "targetFile",
    "TargetFile", "target_filepath", "filepath", "relative_path", "relativePath", "absolute_path",
];

/// The text sought.
#[rustfmt::skip]
pub(super) const OLD: &[&str] = &[
    "old_string", "oldString", "old_str", "oldStr", "old_text", "oldText", "old", "before",
    "search", "find", "original", "old_content", "oldContent", "old_code", "oldCode",
    "TargetContent",
];

/// The text put in its place.
#[rustfmt::skip]
pub(super) const NEW: &[&str] = &[
    "new_string", "newString", "new_str", "newStr", "new_text", "newText", "new", "after",
    "replace", "replacement", "replace_with", "replaceWith", "modified", "updated", "new_code",
    "newCode", "insert_text", "insertText", "ReplacementContent",
];

/// The whole content of a file.
#[rustfmt::skip]
pub(super) const CONTENT: &[&str] = &[
    "content", "file_text", "fileText", "newContent", "new_content", "contents", "fileContent",
    "file_content", "code", "CodeContent",
];

/// A sketch of a file: what changes, and marks for what stays.
pub(super) const SKETCH: &[&str] = &["code_edit", "codeEdit", "CodeEdit"];

/// A diff of any kind.
pub(super) const DIFF: &[&str] = &["diff", "patch", "patchText", "patch_text"];

/// Every occurrence is meant.
pub(super) const ALL: &[&str] =
    &["replaceAll", "replace_all", "allow_multiple", "allowMultiple", "AllowMultiple"];

/// How many occurrences are meant.
pub(super) const COUNT: &[&str] = &["expected_replacements", "expectedReplacements", "occurrences"];

/// The line at which text is put in.
pub(super) const INSERT_LINE: &[&str] = &["insert_line", "insertLine"];

/// The first line of a region.
pub(super) const START: &[&str] = &["start", "startLine", "start_line", "line", "from", "at"];

/// The last line of a region.
pub(super) const END: &[&str] = &["end", "endLine", "end_line"];

/// A region of lines.
pub(super) const RANGE: &[&str] = &["lineRange", "line_range"];

/// Line operations.
pub(super) const LINE_OPERATIONS: &[&str] = &["lineOperations", "line_operations"];

/// What a line operation does.
pub(super) const OPERATION_KIND: &[&str] = &["op", "type", "operation", "kind", "action"];

/// The text that must be at a line.
#[rustfmt::skip]
pub(super) const EXPECTED: &[&str] = &[
    "expected", "expectedText", "expected_text", "oldText", "old_text", "expectedOldText", "old",
];

/// The new text of a line operation.
#[rustfmt::skip]
pub(super) const OPERATION_TEXT: &[&str] = &[
    "text", "content", "newText", "new_text", "new", "newContent", "new_content", "replacement",
];

/// What happens to the file.
pub(super) const FILE_OPERATION: &[&str] = &["operation", "op", "action", "type"];

/// The new name of a file.
#[rustfmt::skip]
pub(super) const NEW_PATH: &[&str] = &[
    "newPath", "new_path", "to", "renameTo", "rename_to", "moveTo", "move_to", "move_path",
    "destination",
];

/// Several edits in one value.
#[rustfmt::skip]
pub(super) const LISTS: &[&str] = &[
    "fileChanges", "file_changes", "edits", "changes", "files", "replacements", "multiEdits",
    "ReplacementChunks",
];

/// The arguments of a call.
pub(super) const ARGUMENTS: &[&str] =
    &["arguments", "input", "parameters", "params", "args", "tool_input", "toolInput"];

/// What is around a call.
#[rustfmt::skip]
pub(super) const ENVELOPES: &[&str] = &[
    "tool_calls", "toolCalls", "function", "function_call", "message", "choices", "content",
    "output", "operation",
];

/// The hashes of the files as the model saw them.
pub(super) const HASHES: &[&str] = &["fileHashes", "file_hashes"];
