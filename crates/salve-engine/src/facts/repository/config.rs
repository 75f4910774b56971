//! git's configuration format, as far as names and values go.
//!
//! In: the text of a configuration file. Out: its settings in order, or nothing where git might read
//! it in another way than this. Never fails, never follows an include.

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// The section, in lower case.
    pub(super) section: String,
    /// The subsection as written.
    pub(super) subsection: Option<String>,
    /// The key, in lower case.
    pub(super) key: String,
    /// The value; a key alone means true.
    pub(super) value: Option<String>,
}

impl Setting {
    /// Returns the name as git shows it.
    pub(super) fn name(&self) -> String {
        match &self.subsection {
            Some(subsection) => format!("{}.{subsection}.{}", self.section, self.key),
            None => format!("{}.{}", self.section, self.key),
        }
    }
}

/// Reads the settings of a file.
pub(super) fn settings(text: &str) -> Option<Vec<Setting>> {
    if text.contains('\0') {
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut reader = Reader { letters: text.chars().peekable() };
    let mut found = Vec::new();
    let mut section: Option<(String, Option<String>)> = None;
    while let Some(letter) = reader.next_visible() {
        match letter {
            '#' | ';' => reader.skip_line(),
            '[' => section = Some(reader.section()?),
            letter if letter.is_ascii_alphabetic() => {
                let (section, subsection) = section.clone()?;
                let (key, value) = reader.setting(letter)?;
                found.push(Setting { section, subsection, key, value });
            }
            _ => return None,
        }
    }
    Some(found)
}

struct Reader<'a> {
    letters: std::iter::Peekable<std::str::Chars<'a>>,
}

impl Reader<'_> {
    fn next_visible(&mut self) -> Option<char> {
        self.letters.find(|letter| !letter.is_ascii_whitespace())
    }

    fn skip_line(&mut self) {
        let _ = self.letters.find(|letter| *letter == '\n');
    }

    // After `[`: `core]`, `diff "pdf"]`, `diff.pdf]`.
    fn section(&mut self) -> Option<(String, Option<String>)> {
        let mut name = String::new();
        loop {
            match self.letters.next()? {
                ']' => {
                    let name = name.to_ascii_lowercase();
                    return match name.split_once('.') {
                        Some((section, sub)) => Some((section.to_owned(), Some(sub.to_owned()))),
                        None if name.is_empty() => None,
                        None => Some((name, None)),
                    };
                }
                ' ' | '\t' => {
                    let subsection = self.subsection()?;
                    return Some((name.to_ascii_lowercase(), Some(subsection)));
                }
                letter if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.') => {
                    name.push(letter);
                }
                _ => return None,
            }
        }
    }

    fn subsection(&mut self) -> Option<String> {
        let mut opening = self.letters.next()?;
        while matches!(opening, ' ' | '\t') {
            opening = self.letters.next()?;
        }
        if opening != '"' {
            return None;
        }
        let mut name = String::new();
        loop {
            match self.letters.next()? {
                '"' => break,
                '\n' => return None,
                '\\' => name.push(self.letters.next().filter(|letter| *letter != '\n')?),
                letter => name.push(letter),
            }
        }
        (self.letters.next()? == ']').then_some(name)
    }

    fn setting(&mut self, first: char) -> Option<(String, Option<String>)> {
        let mut key = String::from(first.to_ascii_lowercase());
        while let Some(letter) =
            self.letters.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
        {
            key.push(letter.to_ascii_lowercase());
        }
        while self.letters.next_if(|letter| matches!(letter, ' ' | '\t')).is_some() {}
        match self.letters.next() {
            None | Some('\n') => Some((key, None)),
            Some('#' | ';') => {
                self.skip_line();
                Some((key, None))
            }
            Some('=') => Some((key, Some(self.value()?))),
            Some(_) => None,
        }
    }

    fn value(&mut self) -> Option<String> {
        let mut value = String::new();
        let mut is_quoted = false;
        loop {
            match self.letters.next() {
                None if is_quoted => return None,
                None => break,
                Some('\n') if is_quoted => return None,
                Some('\n') => break,
                Some('#' | ';') if !is_quoted => {
                    self.skip_line();
                    break;
                }
                Some('"') => is_quoted = !is_quoted,
                Some('\\') => match self.letters.next()? {
                    '\n' => {}
                    'n' => value.push('\n'),
                    't' => value.push('\t'),
                    'b' => value.push('\u{8}'),
                    letter @ ('"' | '\\') => value.push(letter),
                    _ => return None,
                },
                Some(letter) => value.push(letter),
            }
        }
        Some(value.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(text: &str) -> Option<Vec<String>> {
        settings(text).map(|found| found.iter().map(Setting::name).collect())
    }

    #[test]
    fn the_format_is_read_as_git_reads_it() {
        for (text, wanted) in [
            ("", vec![]),
            ("# a\n; b\n", vec![]),
            ("[a]b", vec!["a.b"]),
            ("[A] B = c ; d", vec!["a.b"]),
            ("[a \"B c\"]\n\td = e\n", vec!["a.B c.d"]),
            ("[a \"b\\\"]\"]\nc = d", vec!["a.b\"].c"]),
            ("[a.B]\nc = d", vec!["a.b.c"]),
            ("[a]\nb = c \\\nd = e\nf = g", vec!["a.b", "a.f"]),
            ("[a]\nb = \"c # d\" # e\nf", vec!["a.b", "a.f"]),
            ("\u{feff}[a]\r\nb = c\r\n", vec!["a.b"]),
        ] {
            assert_eq!(
                names(text).as_deref(),
                Some(&wanted.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()[..]),
                "{text:?}"
            );
        }
        for text in [
            "[",
            "[a",
            "[]",
            "[a b]",
            "[a \"b]",
            "b = c",
            "[a]\n=",
            "[a]\nb c",
            "[a]\nb = \"c",
            "[a]\nb = \\x",
            "[a]\nb_c = d",
            "]",
        ] {
            assert_eq!(names(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_large_file_is_read_in_one_pass() {
        let text = "[a \"b\"]\n\tc = \"d\\n\" # e\n".repeat(40_000);
        assert_eq!(settings(&text).map(|found| found.len()), Some(40_000));
        assert_eq!(settings(&"[".repeat(1 << 20)), None);
    }

    proptest! {
        #[test]
        fn a_setting_behind_any_text_is_found_or_the_text_is_refused(
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(vec!["[", "]", "\"", "\\", "\n", "#", ";", "=", "core", "fsmonitor", " ", "\t", "a.b", "\r\n"]),
                    Just("é"),
                ],
                0..24,
            ),
        ) {
            let text = pieces.concat();
            if let Some(found) = settings(&format!("{text}\n\n[core]\n\tfsmonitor = ./x\n")) {
                prop_assert_eq!(found.last().map(Setting::name), Some("core.fsmonitor".to_owned()));
            }
        }
    }
}
