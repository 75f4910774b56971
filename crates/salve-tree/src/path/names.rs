//! The rules on the text of a path: what no path may contain and what no new name may be.
//!
//! In: a path or one of its names. Out: nothing, or the rule that objects. Never: a look at what
//! exists.

use super::{AdmitOptions, Objection, PathRule};
use unicode_normalization::UnicodeNormalization as _;

/// The longest name the common file systems take.
const MAX_NAME_BYTES: usize = 255;
/// What Windows takes for a device, whatever the extension.
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "conin$", "conout$", "com0", "com1", "com2", "com3", "com4",
    "com5", "com6", "com7", "com8", "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6",
    "lpt7", "lpt8", "lpt9",
];
/// Directories in which a version control system keeps what it executes and trusts.
const REPOSITORIES: &[&str] = &[".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", ".fossil"];

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Component {
    Name(String),
    Up,
}

/// Checks the path as a whole.
pub(super) fn check_text(written: &str, options: &AdmitOptions) -> Result<(), Objection> {
    if written.trim().is_empty() {
        return Err(Objection::new(PathRule::BlankPath, "the path is blank"));
    }
    if written.contains('\0') {
        return Err(Objection::new(PathRule::ControlCharacter, "the path contains a NUL byte"));
    }
    let folded: String = written.chars().filter(|c| !is_invisible(*c)).collect();
    for name in folded.split(['/', '\\']) {
        check_repository(name)?;
    }
    for character in written.chars() {
        if !(options.any_characters && character.is_ascii_control()) {
            check_character(character)?;
        }
    }
    if written.contains('\\') {
        return Err(Objection::new(
            PathRule::Backslash,
            "the path contains a backslash; separate with `/`",
        ));
    }
    if written.ends_with('/') {
        return Err(Objection::new(PathRule::Directory, "the path names a directory, not a file"));
    }
    if written.starts_with('~') && written.contains('/') {
        return Err(Objection::new(PathRule::HomeDirectory, "the path begins in a home directory"));
    }
    if written.chars().nth(1) == Some(':') && written.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        return Err(Objection::new(PathRule::DrivePath, "the path begins with a drive"));
    }
    Ok(())
}

fn check_character(character: char) -> Result<(), Objection> {
    let code = u32::from(character);
    let (rule, what) = if character.is_control() || matches!(code, 0x2028 | 0x2029) {
        (PathRule::ControlCharacter, "a control character")
    } else if matches!(code, 0x061c | 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069) {
        (PathRule::BidirectionalCharacter, "a character that turns the direction of the text")
    } else if is_invisible(character) {
        (PathRule::InvisibleCharacter, "an invisible character")
    } else if character.is_whitespace() && character != ' ' {
        (PathRule::OddSpace, "a space that is not the plain one")
    } else if character == char::REPLACEMENT_CHARACTER {
        (PathRule::UndecodableName, "a character that stands for bytes that could not be read")
    } else {
        return Ok(());
    };
    Err(Objection::new(rule, format!("the path contains {what} (U+{code:04X})")))
}

/// Tells the characters that take no room, among them those that HFS+ ignores in names.
fn is_invisible(character: char) -> bool {
    matches!(u32::from(character),
        0x00ad | 0x034f | 0x061c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180e
        | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0x2800 | 0x3164 | 0xfeff | 0xffa0
        | 0xfff9..=0xfffb | 0xe0000..=0xe0fff)
}

/// Splits a relative path into its steps; `.` and empty steps vanish.
pub(super) fn split(relative: &str) -> Result<Vec<Component>, Objection> {
    let mut components = Vec::new();
    for name in relative.split('/').filter(|name| !name.is_empty() && *name != ".") {
        if name == ".." {
            components.push(Component::Up);
            continue;
        }
        if name.len() > MAX_NAME_BYTES {
            return Err(Objection::new(PathRule::NameTooLong, "a name is longer than 255 bytes"));
        }
        check_disguise(name)?;
        components.push(Component::Name(name.to_owned()));
    }
    match components.last() {
        None => Err(Objection::new(
            PathRule::WorkspaceItself,
            "the path names the workspace, not a file",
        )),
        Some(Component::Up) => {
            Err(Objection::new(PathRule::Directory, "the path names a directory, not a file"))
        }
        Some(Component::Name(_)) => Ok(components),
    }
}

/// Refuses separators and `..` in a spelling that some other program decodes.
fn check_disguise(name: &str) -> Result<(), Objection> {
    let compatible: String = name.nfkc().collect();
    let lower = name.to_ascii_lowercase();
    let encoded = ["%2e%2e", "%2f", "%5c", "%00", "%252e"].iter().any(|code| lower.contains(code));
    if compatible != name && (compatible.contains(['/', '\\']) || compatible == "..") || encoded {
        return Err(Objection::new(
            PathRule::DisguisedSeparator,
            format!("{name:?} reads as a separator or as `..` once it is decoded"),
        ));
    }
    Ok(())
}

/// Refuses repositories and Salve's own state in every spelling that a file system takes for them.
pub(super) fn check_repository(name: &str) -> Result<(), Objection> {
    let plain = plain_spelling(name);
    let short = plain.split_once('~').is_some_and(|(stem, number)| {
        matches!(stem, "git" | "salve") && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if plain == ".salve" || (short && plain.starts_with("salve")) {
        return Err(Objection::new(
            PathRule::OwnState,
            "`.salve` holds Salve's journal and history and is never edited",
        ));
    }
    if short || REPOSITORIES.contains(&plain.as_str()) {
        return Err(Objection::new(
            PathRule::Repository,
            format!("{name:?} is the inside of a repository, which executes what stands there"),
        ));
    }
    Ok(())
}

/// Reduces a name to what a careless file system would compare: no invisible characters, look-alikes
/// replaced, lower case, no stream, no trailing dots and spaces.
pub(super) fn plain_spelling(name: &str) -> String {
    let visible = name.chars().filter(|character| !is_invisible(*character)).collect::<String>();
    let plain = super::similar::skeleton(&visible);
    let stem = plain.split(':').next().unwrap_or_default();
    stem.trim_end_matches(['.', ' ']).trim_start_matches(' ').to_owned()
}

/// Checks a name that does not exist yet: it must be usable on every system.
pub(super) fn check_new_name(name: &str) -> Result<(), Objection> {
    if let Some(odd) = name.chars().find(|character| ":?*|<>\"".contains(*character)) {
        return Err(Objection::new(
            PathRule::NotPortable,
            format!("{name:?} contains `{odd}`, which Windows refuses or reads as a stream"),
        ));
    }
    if name.ends_with(' ') {
        return Err(Objection::new(PathRule::TrailingSpace, format!("{name:?} ends with a space")));
    }
    Ok(())
}

/// Checks the name of a file that does not exist yet.
pub(super) fn check_new_file_name(name: &str) -> Result<(), Objection> {
    if name.ends_with('.') {
        return Err(Objection::new(PathRule::TrailingDot, format!("{name:?} ends with a dot")));
    }
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    if DEVICES.contains(&stem.as_str()) {
        return Err(Objection::new(
            PathRule::DeviceName,
            format!("{name:?} is the name of a device on Windows"),
        ));
    }
    Ok(())
}
