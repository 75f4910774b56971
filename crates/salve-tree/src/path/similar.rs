//! Names that look like other names.
//!
//! In: a new name and the names beside it. Out: nothing, or the rule that objects. Never: an
//! objection to a name only because it is not ASCII.

use super::{Objection, PathRule};
use unicode_normalization::UnicodeNormalization as _;

/// Letters of other scripts that most fonts draw like a Latin one.
#[rustfmt::skip]
const LOOK_ALIKES: &[(char, char)] = &[
    // Cyrillic
    ('а', 'a'), ('ь', 'b'), ('с', 'c'), ('ԁ', 'd'), ('е', 'e'), ('һ', 'h'), ('і', 'i'), ('ј', 'j'),
    ('к', 'k'), ('ӏ', 'l'), ('м', 'm'), ('п', 'n'), ('о', 'o'), ('р', 'p'), ('ԛ', 'q'), ('г', 'r'),
    ('ѕ', 's'), ('т', 't'), ('ц', 'u'), ('ѵ', 'v'), ('ԝ', 'w'), ('х', 'x'), ('у', 'y'), ('в', 'b'),
    ('н', 'h'),
    // Greek
    ('α', 'a'), ('β', 'b'), ('ϲ', 'c'), ('ε', 'e'), ('η', 'n'), ('ι', 'i'), ('κ', 'k'), ('ν', 'v'),
    ('ο', 'o'), ('ρ', 'p'), ('τ', 't'), ('υ', 'u'), ('χ', 'x'), ('γ', 'y'), ('ω', 'w'), ('μ', 'u'),
    // Armenian, and Latin letters with a habit
    ('օ', 'o'), ('ս', 'u'), ('հ', 'h'), ('ց', 'g'), ('ո', 'n'), ('զ', 'q'), ('ı', 'i'), ('ɡ', 'g'),
    ('ɑ', 'a'), ('ɩ', 'i'), ('ʟ', 'l'), ('ո', 'n'),
];

/// Refuses a new name that mixes Latin letters with letters of a script that resembles them, as
/// the "highly restrictive" profile of Unicode TS 39 does.
pub(super) fn check_scripts(name: &str) -> Result<(), Objection> {
    for word in name.split(|character: char| !character.is_alphabetic()) {
        let latin = word.chars().any(|character| character.is_ascii_alphabetic());
        let resembling = word.chars().find(|character| {
            matches!(u32::from(*character),
                0x0370..=0x03ff | 0x0400..=0x052f | 0x0531..=0x058f | 0x13a0..=0x13ff | 0x1f00..=0x1fff
                | 0x2c80..=0x2cff | 0xab70..=0xabbf)
        });
        if let (true, Some(odd)) = (latin, resembling) {
            return Err(Objection::new(
                PathRule::MixedScripts,
                format!("{word:?} mixes Latin letters with `{odd}` of another script"),
            ));
        }
    }
    Ok(())
}

/// Checks a name that comes new into a directory against the names that are there.
pub(super) fn check(name: &str, siblings: &[String]) -> Result<(), Objection> {
    let looks = skeleton(name);
    for sibling in siblings.iter().filter(|sibling| *sibling != name) {
        if skeleton(sibling) != looks {
            continue;
        }
        let rule = if sibling.to_lowercase() == name.to_lowercase() {
            PathRule::CaseTwin
        } else {
            PathRule::LookAlikeName
        };
        return Err(Objection::new(
            rule,
            format!("{name:?} is new and looks like {sibling:?}, which exists; use that name"),
        ));
    }
    Ok(())
}

/// Reduces a name to what it looks like: compatibility forms, lower case, Latin letters.
pub(super) fn skeleton(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfkc().flat_map(char::to_lowercase).map(latin).collect()
}

fn latin(character: char) -> char {
    LOOK_ALIKES.iter().find(|(alike, _)| *alike == character).map_or(character, |(_, plain)| *plain)
}
