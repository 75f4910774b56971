//! Names of blocks, nodes and schemas.
//!
//! In: a name. Out: whether it is one, and which known one it may be meant as. Never corrects it.

/// The longest name.
const LONGEST: usize = 100;

/// Returns whether a text can be a name.
pub(super) fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !text.is_empty() && text.chars().count() <= LONGEST && text.chars().all(fits)
}

/// Returns the known name that is nearest, as the end of a sentence; nothing where none is near.
pub(super) fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = known.map(|name| (distance(wanted, name), name)).min();
    match near {
        Some((distance, name)) if distance <= wanted.chars().count().div_ceil(3) => {
            format!("; did you mean `{name}`?")
        }
        _ => String::new(),
    }
}

fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(LONGEST).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.chars().take(LONGEST).enumerate() {
        let mut before = std::mem::replace(&mut row[0], at + 1);
        for (to, b) in other.iter().enumerate() {
            let changed = before + usize::from(!a.eq_ignore_ascii_case(b));
            before = row[to + 1];
            row[to + 1] = changed.min(row[to] + 1).min(before + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}
