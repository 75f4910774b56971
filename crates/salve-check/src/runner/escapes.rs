//! What a program may do to the terminal of a person: colours, moving and erasing, and nothing else.
//!
//! In: the bytes of a pseudo-terminal, in any pieces. Out: what may be shown as it is, the same as plain
//! text, and at the end what brings the terminal back. Left out is everything that a terminal answers
//! (its answer would be typed into what reads next), everything that reaches past the screen (clipboard,
//! title, printer, scrolled-away lines), and every string meant for the terminal. Never holds more than one
//! sequence back, and is linear in its input.

use std::collections::BTreeSet;

/// Longer sequences are not of this list.
const LONGEST: usize = 64;
/// More digits are no place on a screen.
const DIGITS: usize = 4;

/// Private modes that may be switched, and whether they are on in a fresh terminal: cursor keys, wrapping,
/// blinking, the cursor, the second screen, marks around what is pasted, whole frames.
const MODES: &[(u16, bool)] = &[
    (1, false),
    (7, true),
    (12, false),
    (25, true),
    (47, false),
    (1047, false),
    (1048, false),
    (1049, false),
    (2004, false),
    (2026, false),
];

/// What came out of a piece.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// For the terminal.
    pub(super) screen: Vec<u8>,
    /// For the record.
    pub(super) plain: Vec<u8>,
}

/// Reads what a program writes to its terminal.
#[derive(Debug, Default)]
pub(super) struct Escapes {
    state: State,
    /// The sequence that has begun, with its escape character.
    held: Vec<u8>,
    /// A character that is not all there yet.
    character: Vec<u8>,
    /// A return that may belong to the line break after it.
    returned: bool,
    changed: Changed,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After the escape character.
    Escape,
    /// A character set is chosen by one more letter.
    Charset,
    /// Parameters and a letter.
    Control,
    /// A string for the terminal, which is left out.
    Words,
}

/// What a program has changed of the terminal.
#[derive(Debug, Default)]
struct Changed {
    modes: BTreeSet<u16>,
    colours: bool,
    region: bool,
    keypad: bool,
    charset: bool,
    cursor: bool,
    inserts: bool,
}

impl Escapes {
    /// Takes the next piece.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Shown {
        let mut shown = Shown::default();
        for &byte in bytes {
            self.take(byte, &mut shown);
        }
        shown
    }

    /// Returns what brings the terminal back to how it was.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let changed = std::mem::take(&mut self.changed);
        let mut text = String::new();
        let mut add = |was: bool, bytes: &str| text.push_str(if was { bytes } else { "" });
        // The cursor's place is kept over the end of a region, which moves it.
        add(changed.region, "\x1b7\x1b[r\x1b8");
        add(changed.colours, "\x1b[0m");
        add(changed.keypad, "\x1b>");
        add(changed.charset, "\x1b(B\x0f");
        add(changed.cursor, "\x1b[0 q");
        add(changed.inserts, "\x1b[4l");
        for mode in changed.modes.iter().rev() {
            let is_on = MODES.iter().any(|(known, is_on)| known == mode && *is_on);
            add(true, &format!("\x1b[?{mode}{}", if is_on { 'h' } else { 'l' }));
        }
        text.into_bytes()
    }

    fn take(&mut self, byte: u8, shown: &mut Shown) {
        const ESCAPE: u8 = 0x1b;
        const CANCELS: [u8; 2] = [0x18, 0x1a];
        match (self.state, byte) {
            (_, ESCAPE) => {
                self.character.clear();
                self.begin();
            }
            (State::Text, _) => self.text(byte, shown),
            (_, byte) if CANCELS.contains(&byte) => self.state = State::Text,
            // A string ends with its line at the latest, so that it cannot swallow the rest.
            (State::Words, b'\n') => {
                self.state = State::Text;
                self.text(byte, shown);
            }
            (State::Words, 0x07) => self.state = State::Text,
            (State::Words, _) => {}
            // A control character inside of a sequence breaks it.
            (_, 0..0x20) => {
                self.state = State::Text;
                self.text(byte, shown);
            }
            (State::Escape, _) => self.after_escape(byte, shown),
            (State::Charset, _) => {
                self.held.push(byte);
                self.pass_if(matches!(byte, b'0' | b'A' | b'B'), shown);
                self.changed.charset = true;
            }
            (State::Control, 0x40..=0x7e) => {
                self.held.push(byte);
                let known = self.held.len() <= LONGEST && self.is_known();
                self.pass_if(known, shown);
            }
            (State::Control, _) if self.held.len() < LONGEST => self.held.push(byte),
            // Too long to be known: the letter that ends it is waited for.
            (State::Control, _) => {}
        }
    }

    fn begin(&mut self) {
        self.state = State::Escape;
        self.held.clear();
        self.held.push(0x1b);
    }

    fn after_escape(&mut self, byte: u8, shown: &mut Shown) {
        self.held.push(byte);
        match byte {
            b'[' => self.state = State::Control,
            b'(' | b')' => self.state = State::Charset,
            b']' | b'P' | b'X' | b'^' | b'_' => self.state = State::Words,
            // Save and restore the cursor, move it by a line, and what the keypad sends.
            b'7' | b'8' | b'D' | b'E' | b'M' | b'=' | b'>' => {
                self.changed.keypad |= byte == b'=';
                self.pass_if(true, shown);
            }
            _ => self.state = State::Text,
        }
    }

    fn pass_if(&mut self, known: bool, shown: &mut Shown) {
        self.state = State::Text;
        if known {
            shown.screen.extend_from_slice(&self.held);
        }
    }

    fn text(&mut self, byte: u8, shown: &mut Shown) {
        if byte >= 0x80 {
            return self.part_of_character(byte, shown);
        }
        self.character.clear();
        match byte {
            b'\n' => shown.plain.push(b'\n'),
            b'\r' => {}
            b'\t' | 0x20..=0x7e => {
                if std::mem::take(&mut self.returned) {
                    shown.plain.push(b'\r');
                }
                shown.plain.push(byte);
            }
            // A bell and going back one place.
            0x07 | 0x08 => {}
            // The second character set, which old screens draw lines with.
            0x0e | 0x0f => self.changed.charset = true,
            // What is left may be answered by the terminal, or means nothing to it.
            _ => return,
        }
        self.returned = byte == b'\r';
        shown.screen.push(byte);
    }

    /// Passes a character when it is whole. Control characters of the second block, and bytes that are no
    /// text, mean sequences to some terminals.
    fn part_of_character(&mut self, byte: u8, shown: &mut Shown) {
        self.character.push(byte);
        match std::str::from_utf8(&self.character) {
            Ok(text) => {
                if !text.chars().any(char::is_control) {
                    if std::mem::take(&mut self.returned) {
                        shown.plain.push(b'\r');
                    }
                    shown.plain.extend_from_slice(text.as_bytes());
                    shown.screen.extend_from_slice(text.as_bytes());
                }
                self.character.clear();
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                let replacement = "\u{fffd}".as_bytes();
                shown.screen.extend_from_slice(replacement);
                shown.plain.extend_from_slice(replacement);
                self.character.clear();
            }
        }
    }

    /// Tells whether the sequence that is held is on the list, and notes what it changes.
    fn is_known(&mut self) -> bool {
        let Some((&letter, parameters)) = self.held.get(2..).and_then(<[u8]>::split_last) else {
            return false;
        };
        let Ok(parameters) = std::str::from_utf8(parameters) else { return false };
        if let Some(modes) = parameters.strip_prefix('?') {
            return matches!(letter, b'h' | b'l')
                && self.changed.are_known_modes(modes, letter == b'h');
        }
        if let Some(shape) = parameters.strip_suffix(' ') {
            self.changed.cursor |= letter == b'q';
            return letter == b'q' && is_short(shape);
        }
        if !is_short(parameters) {
            return false;
        }
        match letter {
            b'm' => self.changed.colours = true,
            b'r' => self.changed.region = true,
            b'h' | b'l' => {
                self.changed.inserts |= parameters == "4";
                return parameters == "4";
            }
            // 3 would throw away what has scrolled off the screen.
            b'J' => return matches!(parameters, "" | "0" | "1" | "2"),
            // More parameters ask for the mouse.
            b'T' => return !parameters.contains(';'),
            b'A'..=b'H' | b'K' | b'L' | b'M' | b'P' | b'S' | b'X' | b'Z' | b'@' | b'`' => {}
            b'a' | b'b' | b'd' | b'e' | b'f' | b's' | b'u' => {}
            _ => return false,
        }
        true
    }
}

impl Changed {
    /// Tells whether every mode may be switched, and notes those that were.
    fn are_known_modes(&mut self, modes: &str, is_on: bool) -> bool {
        let numbers: Option<Vec<u16>> = modes.split(';').map(|mode| mode.parse().ok()).collect();
        let find = |number: &u16| MODES.iter().find(|(known, _)| known == number);
        let known: Option<Vec<_>> = numbers.and_then(|numbers| numbers.iter().map(find).collect());
        for (mode, is_usually_on) in known.iter().flatten() {
            if is_on == *is_usually_on {
                self.modes.remove(mode);
            } else {
                self.modes.insert(*mode);
            }
        }
        known.is_some()
    }
}

/// Numbers that may be places or colours, and nothing else.
fn is_short(parameters: &str) -> bool {
    parameters
        .split([';', ':'])
        .all(|number| number.len() <= DIGITS && number.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests;
