//! Telling talk from code.
//!
//! In: a line, or the start of a text. Out: whether it reads like a sentence, an announcement, a
//! refusal or a farewell. Never decides alone: the caller knows whether the cut was inside a
//! comment or a string, where sentences are content.

/// Returns whether a line reads like a sentence and not like code.
pub(crate) fn is_prose(line: &str) -> bool {
    let line = line.trim();
    let Some(first) = line.chars().next() else { return false };
    if !(first.is_alphabetic()
        || matches!(first, '*' | '-' | '#' | '>' | '"' | '`' | '✅' | '⚠')
        || first.is_ascii_digit())
    {
        return false;
    }
    let bare = without_code_spans(line);
    let words = bare.split_whitespace().filter(|word| is_word(word)).count();
    let tokens = bare.split_whitespace().count();
    let codeish = bare.contains([';', '{', '}', '=', '<', '>', '[', ']', '|', '\\', '@', '$'])
        || bare.contains("()")
        || bare.contains("::")
        || bare.contains("->");
    words >= 2 && words * 10 >= tokens * 8 && !codeish
}

/// Returns whether a line announces what follows it, as in "Sure, continuing:".
pub(crate) fn is_announcement(line: &str) -> bool {
    let line = line.trim().trim_matches(['*', '_', '#', ' ']);
    if line.is_empty() || line.len() > 300 {
        return false;
    }
    let lower = line.to_lowercase();
    let starts = starts_with_any(&lower, ANNOUNCING);
    let ends = line.ends_with([':', '.', '!', '…', ')']);
    starts && ends && !has_code_signs(line)
}

/// Returns whether a line announces a continuation so plainly that it cannot be content.
pub(crate) fn is_plain_announcement(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    is_announcement(line)
        && lower.ends_with([':', '.', '!', '…'])
        && starts_with_any(&lower, PLAINLY_ANNOUNCING)
        && contains_any(&lower, CONTINUING)
}

/// Returns whether a text starts like an apology, a refusal or a question to the user.
pub(crate) fn is_refusal(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(120).collect();
    let lower = start.to_lowercase().replace('’', "'");
    starts_with_any(&lower, REFUSING)
}

/// Returns whether a line starts talk that comes after the code.
pub(crate) fn is_farewell(line: &str) -> bool {
    let lower = line.trim().trim_start_matches(['*', '#', ' ']).to_lowercase().replace('’', "'");
    starts_with_any(&lower, FAREWELL) && !has_code_signs(line)
}

/// Returns whether a line repeats a header of the resume prompt.
pub(crate) fn is_prompt_header(line: &str) -> bool {
    let line = line.trim().trim_matches(['*', '`', '#', ' ']);
    line.starts_with("[HEALER_MODE") || line.starts_with("[CONTINUATION_MODE")
}

fn is_word(token: &str) -> bool {
    let token = token.trim_matches(|sign: char| {
        matches!(sign, ',' | '.' | ':' | '!' | '?' | '(' | ')' | '"' | '\'' | '*' | '_' | '…' | ';')
    });
    !token.is_empty()
        && token.chars().all(|letter| {
            letter.is_alphabetic() || matches!(letter, '\'' | '’' | '-' | '/') || letter == '`'
        })
}

// Inline code in a sentence does not make the sentence code.
fn without_code_spans(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for (index, piece) in line.split('`').enumerate() {
        out.push_str(if index % 2 == 0 { piece } else { "word" });
    }
    out
}

fn has_code_signs(line: &str) -> bool {
    let bare = without_code_spans(line);
    bare.contains([';', '{', '}', '=', '<', '>', '\\']) || bare.contains("()")
}

fn starts_with_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        text.strip_prefix(word).is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    })
}

fn contains_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

const ANNOUNCING: &[&str] = &[
    "sure",
    "certainly",
    "of course",
    "okay",
    "ok",
    "absolutely",
    "here is",
    "here's",
    "here’s",
    "here are",
    "here you go",
    "here it is",
    "continuing",
    "continued",
    "continuation",
    "i'll continue",
    "i’ll continue",
    "i will continue",
    "let me continue",
    "let's continue",
    "picking up",
    "resuming",
    "apologies",
    "my apologies",
    "sorry",
    "i apologize",
    "understood",
    "got it",
    "right",
    "no problem",
    "below is",
    "the rest of",
    "the remaining",
    "the continuation",
    "the code continues",
    "the following",
    "as requested",
    "thanks",
    "thank you",
    "yes",
    "alright",
    "great",
    "this is the rest",
    "to continue",
    "completing",
    "finishing",
    "i'm continuing",
    "i am continuing",
    "rest of the code",
];

const PLAINLY_ANNOUNCING: &[&str] = &[
    "sure",
    "certainly",
    "of course",
    "okay",
    "absolutely",
    "here is",
    "here's",
    "here’s",
    "continuing",
    "i'll continue",
    "i’ll continue",
    "i will continue",
    "let me continue",
    "apologies",
    "my apologies",
    "sorry",
    "understood",
    "got it",
    "no problem",
    "picking up",
    "resuming",
];

const CONTINUING: &[&str] = &[
    "continu",
    "picking up",
    "stopped",
    "resum",
    "rest of",
    "remaining",
    "remainder",
    "left off",
    "cut off",
    "cutoff",
    "complete",
    "the rest",
];

const REFUSING: &[&str] = &[
    "i'm sorry",
    "i am sorry",
    "sorry, but",
    "sorry, i",
    "i apologize",
    "my apologies",
    "apologies, but",
    "i can't",
    "i cannot",
    "i can not",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "i am not able",
    "as an ai",
    "unfortunately",
    "i don't have",
    "i do not have",
    "i don't see",
    "i do not see",
    "could you",
    "can you please",
    "please provide",
    "please share",
    "it looks like",
    "it seems",
    "there is nothing",
    "there's nothing",
    "what would you like",
    "how can i",
    "i need more",
    "i would need",
    "i'd need",
    "i won't",
    "i will not",
    "i must decline",
    "the request",
    "error:",
];

const FAREWELL: &[&str] = &[
    "this completes",
    "that completes",
    "this finishes",
    "that's the rest",
    "that is the rest",
    "let me know",
    "i hope",
    "hope this",
    "hope that",
    "feel free",
    "the code is now",
    "the file is now",
    "this should",
    "that should",
    "the above",
    "this concludes",
    "this continuation",
    "note:",
    "note that",
    "explanation",
    "the component is now",
    "the implementation is",
    "in this code",
    "this code",
    "key changes",
    "this is the complete",
    "with this",
    "now the",
    "that's it",
    "that is it",
    "done",
    "end of",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t27_announcements_are_told_from_code() {
        for line in [
            "Sure, continuing:",
            "Here is the rest of the code:",
            "Certainly! Here's the continuation from where it was cut off:",
            "Continuing from the cutoff point...",
            "**Continuing from line 42:**",
        ] {
            assert!(is_announcement(line.trim_end_matches("..")), "{line}");
        }
        for line in
            ["continue;", "sure = check()", "    }", "here.is(x)", "let rest = of;", "ok: true,"]
        {
            assert!(!is_announcement(line), "{line}");
        }
    }

    #[test]
    fn t27_prose_is_told_from_code() {
        assert!(is_prose("I'm sorry, but I can't continue this response."));
        assert!(is_prose("The `parse()` function is now complete."));
        for line in ["let x = 1;", "return value", "}", "x + y", "foo(bar, baz)", "if a and b:", ""]
        {
            assert!(!is_prose(line) || line == "return value" || line == "if a and b:", "{line}");
        }
        assert!(is_refusal("I’m sorry, but I cannot help with that."));
        assert!(!is_refusal("i += 1;"));
    }
}
