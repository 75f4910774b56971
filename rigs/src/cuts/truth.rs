//! What is open at a place, by the grammar's tree of the uncut file.
//!
//! In: a file. Out: its constructs (strings, comments, templates, tags, elements, brackets) with
//! the exact bytes of opener and closer, and the innermost one open at any cut. Never looks at a
//! verdict, and shares no code with the machines that are measured.

use crate::corpus::SourceFile;
use salve_syntax::{NodeTree, SyntaxNode, parse_nodes};
use salve_types::{Language, Span, TruncationKind};

/// What a cut may leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum What {
    DoubleQuote,
    SingleQuote,
    Template,
    Heredoc,
    Regex,
    Comment,
    Tag,
    Element,
    Bracket,
    /// A command in backquotes, in a shell: a bracket with one sign for both ends.
    Backquote,
    /// Keywords such as `do … done`; no bracket, but a fair answer where one is innermost.
    Block,
}

/// Something with an opener and a closer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Construct {
    pub what: What,
    /// Its opener. A cut inside the opener leaves it unclear whether the thing is open yet.
    pub opener: Span,
    /// Just past its closer.
    pub end: usize,
}

/// Everything in one file that can be open, by opener.
pub(crate) struct Truth {
    pub constructs: Vec<Construct>,
    /// Leaves whose inside the grammar does not read (macro bodies of C, scripts in HTML): there is
    /// no truth within them.
    pub opaque: Vec<Span>,
}

/// What is open at one cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenAt {
    /// The innermost thing whose opener was read in full.
    pub innermost: Option<Construct>,
    /// A keyword block inside that.
    pub block: Option<Construct>,
    /// The thing whose opener the cut goes through.
    pub split: Option<Construct>,
}

/// Reads the constructs of `file`; nothing when its grammar objects.
pub(crate) fn truth_of(file: &SourceFile) -> Option<Truth> {
    let tree = parse_nodes(&file.text, file.language).filter(|tree| !tree.has_error())?;
    let mut truth = Truth { constructs: Vec::new(), opaque: Vec::new() };
    for (index, node) in tree.nodes().iter().enumerate() {
        let kind = tree.kind(node);
        if node.is_named {
            if is_opaque(kind, file.language) {
                truth.opaque.push(node.span);
            }
            truth.constructs.extend(named_construct(file, &tree, index, kind));
        }
        // The parentheses of a raw string of C++ belong to its quotes.
        if kind != "raw_string_literal" {
            bracket_pairs(&tree, index, &mut truth.constructs);
        }
    }
    truth.constructs.sort_by_key(|it| (it.opener.start, std::cmp::Reverse(it.end)));
    Some(truth)
}

// Bodies of macros, scripts in HTML, and patterns of the shell are single leaves, whatever is in
// them.
fn is_opaque(kind: &str, language: Language) -> bool {
    match kind {
        "preproc_arg" | "preproc_call" | "raw_text" | "shebang" => true,
        "extglob_pattern" | "regex" => language == Language::Bash,
        _ => false,
    }
}

impl Truth {
    /// Starts reading the file from its beginning.
    pub(crate) const fn sweep(&self) -> Sweep<'_> {
        Sweep { truth: self, constructs: 0, opaque: 0, opaque_until: 0, active: Vec::new() }
    }
}

/// Answers what is open at one cut after the other, in order.
pub(crate) struct Sweep<'a> {
    truth: &'a Truth,
    constructs: usize,
    opaque: usize,
    opaque_until: usize,
    // Begun and not ended, by opener; as deep as the file nests.
    active: Vec<Construct>,
}

impl Sweep<'_> {
    /// Returns what is open when the text ends just before byte `at`; nothing where the grammar
    /// does not know what is there. `at` must not decrease from call to call.
    pub(crate) fn at(&mut self, at: usize) -> Option<OpenAt> {
        let truth = self.truth;
        while let Some(span) = truth.opaque.get(self.opaque).filter(|span| span.start < at) {
            self.opaque_until = self.opaque_until.max(span.end);
            self.opaque += 1;
        }
        while let Some(it) = truth.constructs.get(self.constructs).filter(|it| it.opener.start < at)
        {
            self.active.push(*it);
            self.constructs += 1;
        }
        self.active.retain(|it| it.end > at);
        (at > self.opaque_until).then(|| open_at(&self.active, at))
    }
}

fn open_at(active: &[Construct], at: usize) -> OpenAt {
    let mut open = OpenAt { innermost: None, block: None, split: None };
    for construct in active {
        if construct.opener.end > at {
            // An element begins with its tag; inside that tag, the tag is what is open.
            if construct.what != What::Element {
                open.split = Some(*construct);
            }
        } else if construct.what == What::Block {
            open.block = Some(*construct);
        } else {
            open.innermost = Some(*construct);
            open.block = None;
        }
    }
    open
}

impl What {
    /// Returns the kind a verdict should name.
    pub(crate) const fn kind(self, language: Language) -> TruncationKind {
        match self {
            Self::DoubleQuote => TruncationKind::OpenDoubleQuote,
            Self::SingleQuote => TruncationKind::OpenSingleQuote,
            Self::Template => TruncationKind::OpenTemplateLiteral,
            Self::Heredoc => TruncationKind::OpenHeredoc,
            Self::Regex => TruncationKind::OpenRegex,
            Self::Comment => TruncationKind::OpenComment,
            Self::Tag => TruncationKind::OpenJsxTag,
            Self::Element => TruncationKind::OpenElement,
            Self::Bracket if matches!(language, Language::Json) => TruncationKind::OpenJson,
            Self::Bracket | Self::Backquote => TruncationKind::UnbalancedBraces,
            Self::Block => TruncationKind::OpenBlock,
        }
    }
}

fn named_construct(
    file: &SourceFile,
    tree: &NodeTree,
    index: usize,
    kind: &str,
) -> Option<Construct> {
    let node = &tree.nodes()[index];
    let text = file.text.get(node.span.range())?;
    match kind {
        "comment" | "block_comment" | "line_comment" => comment(node, text),
        "string"
        | "string_literal"
        | "raw_string_literal"
        | "interpreted_string_literal"
        | "char_literal"
        | "character_literal"
        | "rune_literal"
        | "template_string"
        | "template_literal_type"
        | "raw_string"
        | "ansi_c_string"
        | "quoted_attribute_value"
        | "string_value" => quoted(node, text),
        "regex" if file.language != Language::Bash && text.starts_with('/') => {
            // A lone `/` may also begin a comment, so the opener is counted with the byte after it.
            let end = node.span.start + text.rfind('/')? + 1;
            Some(construct(What::Regex, node.span.start, 2, end))
        }
        "jsx_opening_element"
        | "jsx_self_closing_element"
        | "start_tag"
        | "self_closing_tag"
        | "doctype" => Some(construct(What::Tag, node.span.start, 1, node.span.end)),
        "jsx_closing_element" | "end_tag" => {
            Some(construct(What::Tag, node.span.start, 2, node.span.end))
        }
        "jsx_element" => element(tree, index, "jsx_opening_element", "jsx_closing_element"),
        "element" | "script_element" | "style_element" => {
            element(tree, index, "start_tag", "end_tag")
        }
        "heredoc_redirect" => heredoc(tree, index),
        "command_substitution" if text.starts_with('`') => {
            Some(construct(What::Backquote, node.span.start, 1, node.span.end))
        }
        "if_statement"
        | "case_statement"
        | "while_statement"
        | "for_statement"
        | "c_style_for_statement"
            if file.language == Language::Bash =>
        {
            let opener = tree.children(index).next()?.1.span;
            Some(Construct { what: What::Block, opener, end: node.span.end })
        }
        _ => None,
    }
}

const fn construct(what: What, start: usize, opener: usize, end: usize) -> Construct {
    Construct { what, opener: Span::new(start, start + opener), end }
}

// A line comment has no closer, so a cut in it leaves open what is around it; only a cut through
// its opener is marked, by a construct that ends with the opener.
fn comment(node: &SyntaxNode, text: &str) -> Option<Construct> {
    if text.starts_with("//") {
        return Some(construct(What::Comment, node.span.start, 2, node.span.start + 2));
    }
    let opener = ["/*", "<!--"].into_iter().find(|opener| text.starts_with(opener))?;
    Some(construct(What::Comment, node.span.start, opener.len(), node.span.end))
}

// The opener is everything up to the end of the quotes: a prefix (`rb`, `L`, `$`), the marks of a
// raw string (`r##`, `R"x(`) and one quote or three.
fn quoted(node: &SyntaxNode, text: &str) -> Option<Construct> {
    let at = text.find(['"', '\'', '`'])?;
    let quote = text[at..].chars().next()?;
    let what = match quote {
        '"' => What::DoubleQuote,
        '\'' => What::SingleQuote,
        _ => What::Template,
    };
    let triple = quote.to_string().repeat(3);
    let is_triple =
        text.len() >= at + 6 && text[at..].starts_with(&triple) && text.ends_with(&triple);
    let mut opener = at + if is_triple { 3 } else { 1 };
    if text[..at].ends_with('R') {
        opener = at + text[at..].find('(')? + 1;
    }
    Some(construct(what, node.span.start, opener, node.span.end))
}

// Elements whose end tag is implied are closed by what follows them, not by a closer of their own.
fn element(tree: &NodeTree, index: usize, opening: &str, closing: &str) -> Option<Construct> {
    let child = |wanted: &str| tree.children(index).find(|(_, child)| tree.kind(child) == wanted);
    let (_, opening) = child(opening)?;
    let (_, closing) = child(closing)?;
    Some(Construct { what: What::Element, opener: opening.span, end: closing.span.end })
}

fn heredoc(tree: &NodeTree, index: usize) -> Option<Construct> {
    let child = |wanted: &str| tree.children(index).find(|(_, child)| tree.kind(child) == wanted);
    let (_, body) = child("heredoc_body")?;
    let (_, end) = child("heredoc_end")?;
    let opener = Span::new(tree.nodes()[index].span.start, body.span.start);
    Some(Construct { what: What::Heredoc, opener, end: end.span.end })
}

// Brackets are tokens of the tree; opener and closer have the same parent. Angle brackets of
// generics are left out: only a compiler can tell them from comparisons.
fn bracket_pairs(tree: &NodeTree, index: usize, constructs: &mut Vec<Construct>) {
    let mut open: Vec<(Span, &str)> = Vec::new();
    for (_, child) in tree.children(index) {
        if child.is_named || child.span.is_empty() {
            continue;
        }
        let kind = tree.kind(child);
        if let Some(closer) = closer_of(kind) {
            open.push((child.span, closer));
        } else if open.last().is_some_and(|(_, closer)| *closer == kind)
            && let Some((opener, _)) = open.pop()
        {
            constructs.push(Construct { what: What::Bracket, opener, end: child.span.end });
        }
    }
}

fn closer_of(opener: &str) -> Option<&'static str> {
    Some(match opener {
        "(" | "$(" | "<(" | ">(" => ")",
        "[" | "#[" => "]",
        "{" | "${" => "}",
        "((" | "$((" => "))",
        "[[" => "]]",
        "{|" => "|}",
        _ => return None,
    })
}

/// Tells whether the brackets of a C or C++ file balance when every arm of every `#if` is read.
///
/// Where they do not (`#if A` / `if (x) {` / `#else` / `if (y) {` / `#endif`), only a preprocessor
/// can say what is open. Other languages have no arms.
pub(crate) fn brackets_balance(file: &SourceFile) -> bool {
    if !matches!(file.language, Language::C | Language::Cpp) {
        return true;
    }
    let Some(tree) = parse_nodes(&file.text, file.language) else { return true };
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    let is_text = |kind: &str| {
        matches!(kind, "comment" | "string_literal" | "char_literal" | "raw_string_literal")
    };
    let texts = tree.nodes().iter().filter(|node| is_text(tree.kind(node))).map(|node| node.span);
    for span in texts.chain([Span::new(file.text.len(), file.text.len())]) {
        for byte in file.text.as_bytes().get(at..span.start).unwrap_or_default() {
            match byte {
                b'(' | b'[' | b'{' => open.push(*byte),
                b')' if open.pop() != Some(b'(') => return false,
                b']' if open.pop() != Some(b'[') => return false,
                b'}' if open.pop() != Some(b'{') => return false,
                _ => {}
            }
        }
        at = at.max(span.end);
    }
    open.is_empty()
}

#[cfg(test)]
mod tests;
