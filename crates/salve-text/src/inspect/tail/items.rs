//! Languages whose statements end with `;` or a block: Rust, C, C++, Java, C#, PHP, CSS, and Go.
//!
//! In: the tokens since the last place where a statement had ended. Out: why what is left over is
//! not whole. Never flags attributes or lone macro names, which real files do end with.

use super::tokens::{Is, Token};
use super::{Reason, last_two};
use salve_types::Language;

/// Judges what is left after the last statement that ended.
pub(super) fn judge(tokens: &[Token<'_>], language: Language, ends_line: bool) -> Option<Reason> {
    let ended = match language {
        Language::Rust => rust_ended,
        Language::C | Language::Cpp => c_ended,
        Language::Css => css_ended,
        _ => java_ended,
    };
    let is_c = matches!(language, Language::C | Language::Cpp);
    if is_c && is_template(tokens) {
        return None;
    }
    let mut left: Vec<Token<'_>> = Vec::new();
    // The last name in capitals that stood alone on its line.
    let mut last_word: Option<&[u8]> = None;
    let mut in_kept = false;
    for token in tokens {
        match token.is {
            Is::Line if in_kept => {
                in_kept = false;
                left.clear();
            }
            Is::Line if is_c && (is_macro_line(&left) || is_call(&left)) => {
                last_word = left.first().filter(|_| left.len() == 1).map(|token| token.text);
                left.clear();
            }
            Is::Line => {}
            Is::Directive => {}
            // What files that include themselves keep for the second time begins with `@#`.
            Is::Sign(b'#') if is_c && matches!(&left[..], [at] if at.is_sign(b'@')) => {
                in_kept = true;
            }
            Is::Sign(b';') => left.clear(),
            // Code goes on in PHP after text in between, so that what it closes was opened before.
            Is::Sign(b'}') if language == Language::Php => left.clear(),
            _ => {
                left.push(*token);
                if ended(&left) {
                    left.clear();
                }
            }
        }
    }
    let word = last_word.filter(|word| ends_line && !word.contains(&b'_'));
    if word.is_some_and(|_| {
        tokens
            .iter()
            .rev()
            .find(|token| token.is != Is::Line)
            .is_some_and(|last| last.is == Is::Word)
    }) {
        return Some(Reason::Statement("A name in capitals stands alone"));
    }
    if left.is_empty() || (is_c && ends_line && is_of_list(&left)) {
        return directive(tokens, ends_line);
    }
    Some(Reason::Statement("The last statement has no end"))
}

fn rust_ended(left: &[Token<'_>]) -> bool {
    let Some(last) = left.last() else { return true };
    // `#[attribute]`, `#![attribute]`
    let attribute = left[0].is_sign(b'#')
        && last.is == Is::Group(b'[')
        && left[1..left.len() - 1].iter().all(|token| token.is_sign(b'!'));
    // `name!(…)`
    let invocation = matches!(last.is, Is::Group(_))
        && left.iter().rev().nth(1).is_some_and(|token| token.is_sign(b'!'))
        && left.iter().rev().nth(2).is_some_and(|token| token.is == Is::Word);
    if attribute || (invocation && !left.iter().any(|token| token.is_sign(b'='))) {
        return true;
    }
    if last.is != Is::Group(b'{') {
        return false;
    }
    let head = left.iter().find(|token| {
        token.is == Is::Word
            && !matches!(token.text, b"pub" | b"unsafe" | b"async" | b"default" | b"extern")
    });
    let constant = head.is_some_and(|token| token.text == b"const")
        && !left.iter().any(|token| token.is_word(b"fn"));
    let needs_sign = head.is_some_and(|token| {
        matches!(token.text, b"use" | b"let" | b"static" | b"type" | b"crate" | b"return")
    });
    !(needs_sign || constant)
}

fn java_ended(left: &[Token<'_>]) -> bool {
    // `[assembly: Title("x")]` of C# is alone.
    if left.len() == 1 && left[0].is == Is::Group(b'[') {
        return true;
    }
    let braces = left.last().is_some_and(|token| token.is == Is::Group(b'{'));
    braces && !left.iter().any(|token| token.is_sign(b'=')) && !left[0].is_word(b"use")
}

fn css_ended(left: &[Token<'_>]) -> bool {
    left.last().is_some_and(|token| token.is == Is::Group(b'{'))
}

fn c_ended(left: &[Token<'_>]) -> bool {
    // Headers for both C and Objective-C have the same ending in their names.
    if matches!(left, [.., at, end] if at.is_sign(b'@') && end.is_word(b"end")) {
        return true;
    }
    if left.last().is_none_or(|token| token.is != Is::Group(b'{')) {
        return false;
    }
    let has = |wanted: &[&[u8]]| {
        left.iter().any(|token| token.is == Is::Word && wanted.contains(&token.text))
    };
    let parameters = left.iter().any(|token| token.is == Is::Group(b'('));
    let assigned = left.iter().any(|token| token.is_sign(b'='))
        && !left.iter().any(|token| token.is_word(b"operator"));
    let typed = has(&[b"struct", b"union", b"enum", b"class", b"typedef"]) && !parameters;
    !(assigned || typed)
}

// A call alone on its lines is a macro: `libc_hidden_def (free)`. The head of a function has a type. One
// with a comma after it is an item of a list that the text is included in.
fn is_call(left: &[Token<'_>]) -> bool {
    let left = match left {
        [item @ .., comma] if comma.is_sign(b',') => item,
        _ => left,
    };
    matches!(left, [name, arguments] if name.is == Is::Word && arguments.is == Is::Group(b'('))
}

// Values and commas where nothing is open are a list that some other file opens and closes: no statement
// begins with one.
fn is_of_list(left: &[Token<'_>]) -> bool {
    left.first().is_some_and(|first| {
        matches!(first.is, Is::Literal | Is::Number | Is::Group(b'{') | Is::Sign(b','))
    })
}

// `word {{name}} word`: what a template fills in stands between two words, where no braces of C stand.
fn is_template(tokens: &[Token<'_>]) -> bool {
    tokens.windows(3).any(|three| {
        let [before, filled, after] = three else { return false };
        let is_name = |text: &[u8]| {
            text.trim_ascii().iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        let name = filled.text.strip_prefix(b"{{").and_then(|rest| rest.strip_suffix(b"}}"));
        before.is == Is::Word && after.is == Is::Word && name.is_some_and(is_name)
    })
}

// `FT_END_HEADER`, `G_DEFINE_TYPE (a, b)`: a name in capitals alone on a line may be all there is.
fn is_macro_line(left: &[Token<'_>]) -> bool {
    let Some(first) = left.first() else { return false };
    let capitals = first.is == Is::Word
        && first
            .text
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let is_call = left.len() <= 2 && left[1..].iter().all(|token| token.is == Is::Group(b'('));
    // `HASH endif`: a text that makes directives when it is preprocessed for the first time.
    let makes_directive =
        left.get(1).is_some_and(|token| token.is == Is::Word && DIRECTIVES.contains(&token.text));
    capitals && (is_call || makes_directive)
}

const DIRECTIVES: &[&[u8]] =
    &[b"if", b"ifdef", b"ifndef", b"elif", b"else", b"endif", b"define", b"undef", b"include"];

// A preprocessor line at the very end that cannot be meant like that.
fn directive(tokens: &[Token<'_>], ends_line: bool) -> Option<Reason> {
    let last = tokens.last().filter(|token| token.is == Is::Directive)?;
    if ends_line {
        return None;
    }
    let text = last.text.strip_prefix(b"#").unwrap_or(last.text).trim_ascii_start();
    let word = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (word, rest) = text.split_at(word);
    let rest = rest.trim_ascii();
    let whole = match word {
        b"include" | b"import" | b"include_next" => {
            (rest.starts_with(b"<") && rest.ends_with(b">"))
                || (rest.len() > 1 && rest.ends_with(b"\""))
        }
        b"define" => rest.contains(&b' ') && !rest.ends_with(b")") || rest.contains(&b'\t'),
        b"undef" => !rest.is_empty(),
        b"pragma" | b"error" | b"warning" | b"endif" | b"else" | b"line" | b"region"
        | b"endregion" | b"nullable" => true,
        _ => false,
    };
    (!whole).then_some(Reason::Statement("A preprocessor line ends too early"))
}

/// Judges Go, whose lines end statements.
pub(super) fn judge_go(tokens: &[Token<'_>], ends_line: bool) -> Option<Reason> {
    let line = last_go_statement(tokens);
    let (first, last) = (line.first()?, line.last()?);
    let groups = |opener: u8| line.iter().filter(|token| token.is == Is::Group(opener)).count();
    let unfinished = match first.text {
        b"package" => line.len() < 2,
        b"import" => !matches!(last.is, Is::Literal | Is::Group(b'(')),
        b"func" => {
            let receiver = line.get(1).is_some_and(|token| token.is == Is::Group(b'('));
            groups(b'(') < if receiver { 2 } else { 1 }
                || matches!(last.text, b"map" | b"chan" | b"func" | b"struct" | b"interface")
        }
        b"type" => {
            let grouped = line.len() == 2 && last.is == Is::Group(b'(');
            !grouped
                && (line.len() < 3
                    || matches!(last.text, b"struct" | b"interface" | b"chan" | b"func" | b"map")
                    || (last.is == Is::Group(b'[') && !is_instantiated(&line)))
        }
        b"var" => {
            let grouped = line.len() == 2 && last.is == Is::Group(b'(');
            // `= []T` and `= []struct{…}` name a type; a value of it needs braces after it.
            let literal = last_two(&line).is_some_and(|(left, right)| {
                let named = left.is == Is::Group(b'[') && right.is == Is::Word;
                let spelled = left.is_word(b"struct") && right.is == Is::Group(b'{');
                (named || spelled) && line.iter().any(|token| token.is_sign(b'='))
            });
            !grouped
                && (line.len() < 3
                    || literal
                    || matches!(last.text, b"struct" | b"interface" | b"map" | b"func"))
        }
        b"const" => line.len() < 2,
        _ => !ends_line,
    };
    let operator = matches!(last.is, Is::Sign(_));
    (unfinished || operator).then_some(Reason::Statement("The last declaration has no end"))
}

// `type A T[B]` names a type with its parameters; `type A []` and `type A map[B]` lack one.
fn is_instantiated(line: &[Token<'_>]) -> bool {
    let name = line.len().checked_sub(2).filter(|at| *at > 1).and_then(|at| line.get(at));
    name.is_some_and(|token| token.is == Is::Word && token.text != b"map")
}

fn last_go_statement<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut line: Vec<Token<'a>> = Vec::new();
    let mut ended = false;
    for token in tokens {
        match token.is {
            Is::Line => ended |= line.last().is_some_and(Token::is_operand),
            Is::Sign(b';') => line.clear(),
            _ => {
                if ended {
                    line.clear();
                }
                ended = false;
                line.push(*token);
            }
        }
    }
    line
}
