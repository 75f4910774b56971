//! Which language a text is written in.
//!
//! In: a text and what is known about it (a hint, a path, a fence label). Out: a language, and
//! `Language::Text` where nothing speaks for another. Never reads more than the first 8 KiB of the
//! text, and never lets content overrule a name, except to tell relatives apart (JSX in a text that
//! was called JavaScript, C++ in a header) and where a script names the program that runs it.

mod family;
mod rules;
mod shape;

use crate::lines::head;
use crate::markdown::{FenceStep, Fences, Lead};
use salve_types::Language;

/// What is known about a text beside the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LanguageHints<'a> {
    /// The language the caller asked for.
    pub hint: Option<Language>,
    /// The file the text is meant for.
    pub path: Option<&'a str>,
    /// The words after the opening fence, such as `tsx` or `python title="a.py"`.
    pub fence: Option<&'a str>,
}

// Enough to see the imports and a few definitions of any file.
const WINDOW: usize = 8 * 1024;
// Below this, the evidence is a coincidence.
const THRESHOLD: u32 = 4;

/// Tells the language of `text`: by the hint, the path, the fence, the shebang, then by content.
pub fn detect_language(text: &str, hints: &LanguageHints<'_>) -> Language {
    let window = head(text, WINDOW);
    if let Some(language) = hints.hint {
        return family::refine_name(language, window);
    }
    if let Some(path) = hints.path
        && let Some(language) = Language::from_path(path)
    {
        let named = from_shebang(window).filter(|named| is_surer(*named, language));
        return named.unwrap_or_else(|| family::refine_path(language, path, window));
    }
    if let Some(language) = hints.fence.and_then(from_fence) {
        return family::refine_name(language, window);
    }
    from_shebang(window).unwrap_or_else(|| from_content(window))
}

// Fences carry more than a name: `ts title="a.ts"`, `python {1,3}`, `rust,ignore`, `js:src/a.js`,
// `language-css`, or only a path.
fn from_fence(label: &str) -> Option<Language> {
    let words = || label.split([' ', '\t', ',', ';', '{', '}', ':', '"', '=']);
    let name = words().find(|word| !word.is_empty())?;
    let name = name.strip_prefix("language-").unwrap_or(name).trim_start_matches('.');
    Language::from_name(name).or_else(|| words().find_map(Language::from_path))
}

fn from_shebang(text: &str) -> Option<Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split([' ', '\t', '/']).filter(|word| !word.is_empty());
    let program = words.rfind(|word| !word.starts_with('-') && *word != "env")?;
    let program = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    match program {
        "node" | "nodejs" | "bun" => Some(Language::JavaScript),
        "deno" | "ts-node" | "tsx" => Some(Language::TypeScript),
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" => Some(Language::Bash),
        "python" | "pypy" | "uv" => Some(Language::Python),
        "swift" | "ruby" | "php" | "kotlin" => Language::from_name(program),
        _ => None,
    }
}

// The program that a script names for itself is surer than the ending of its name: much that is called
// `.sh` is PHP or Python. A shell only starts what many scripts of other languages are, and node runs all
// relatives of JavaScript.
fn is_surer(named: Language, by_path: Language) -> bool {
    use Language as L;
    let scripts = [L::JavaScript, L::Jsx, L::TypeScript, L::Tsx];
    named != L::Bash && !(scripts.contains(&named) && scripts.contains(&by_path))
}

fn from_content(text: &str) -> Language {
    if let Some(language) = shape::by_opening(text) {
        return language;
    }
    let mut scores = rules::score(text);
    shape::score(text, &mut scores);
    family::share(&mut scores);
    if text.trim_start().starts_with('<') {
        // Even a single tag is markup, though too little to reach the threshold.
        scores.add(Language::Html, THRESHOLD);
    }
    let Some((language, best)) = scores.best() else { return Language::Text };
    if best < THRESHOLD { Language::Text } else { family::refine_guess(language, &scores, text) }
}

/// Lists the lines of `text` that are not blank, not in a block comment and not in a Markdown fence,
/// each as it is and trimmed. What people write in comments is prose; a fence itself is listed,
/// since it speaks for Markdown, and its content is not, since it may be in any language.
fn telling_lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut in_comment = false;
    let mut fences = Fences::new(Lead::Blanks);
    text.lines().map(|raw| (raw, raw.trim())).filter(move |(_, line)| {
        if in_comment || line.starts_with("/*") {
            in_comment = !line.contains("*/");
            return false;
        }
        match fences.take(line) {
            FenceStep::Opens(_) | FenceStep::Closes => true,
            FenceStep::Inside => false,
            FenceStep::Outside => !line.is_empty(),
        }
    })
}

#[cfg(test)]
mod tests;
