//! What to look for, and who looks closer when it is seen.
//!
//! In: the table of kinds, the words of names, and what a caller adds. Out: one automaton over all
//! beginnings, and for each the finders to ask. Never decides by a beginning alone.

use super::assignment::{self, Assigned, Promise};
use super::kinds::{Hides, Proof, ROWS, Row};
use super::shape::{Class, Fit, at_least, fit};
use super::view::View;
use super::{ExtraPrefix, header, key_block, marker, numbered, values};
use aho_corasick::{AhoCorasick, AhoCorasickKind, Anchored, Input, MatchKind, StartKind};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// Who looks closer at a place.
#[derive(Debug, Clone)]
enum Finder {
    Marker,
    Token(&'static Row),
    Extra(ExtraPrefix),
    Heading,
    Putty,
    Authorization,
    Scheme(usize),
    Address(usize),
    Named(usize, Promise),
    Numbered,
    Cookies,
    UserOption(usize),
    Phrase(usize),
    Prefixed,
}

/// The automaton and its finders.
#[derive(Debug)]
pub(super) struct Finders {
    leads: AhoCorasick,
    /// For every lead of the automaton, the whole leads that begin like it, and who is asked.
    by_lead: Vec<Vec<(String, Finder)>>,
    longest: usize,
}

/// What is at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sighting {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) what: What,
}

/// What a sighting is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A marker that is already there.
    Marker,
    /// A secret; characters of the class that follow belong to it.
    Secret(Cow<'static, str>, Option<Class>),
    /// The heading of a private key; its body follows.
    KeyHeading,
}

static USUAL: LazyLock<Arc<Finders>> = LazyLock::new(|| Arc::new(Finders::build(&[])));

impl Finders {
    /// The finders of every known kind and of the caller's own.
    pub(super) fn new(extra: &[ExtraPrefix]) -> Arc<Self> {
        if extra.is_empty() { Arc::clone(&USUAL) } else { Arc::new(Self::build(extra)) }
    }

    fn build(extra: &[ExtraPrefix]) -> Self {
        let mut all: Vec<(String, Finder)> = vec![
            (marker::OPENING.into(), Finder::Marker),
            ("-----BEGIN ".into(), Finder::Heading),
            ("---- BEGIN ".into(), Finder::Heading),
            ("Private-Lines: ".into(), Finder::Putty),
            ("://".into(), Finder::Address("://".len())),
            // The same in JSON of those who escape slashes.
            (":\\/\\/".into(), Finder::Address(":\\/\\/".len())),
        ];
        all.extend(
            extra.iter().map(|prefix| (prefix.prefix.clone(), Finder::Extra(prefix.clone()))),
        );
        all.extend(ROWS.iter().map(|row| (row.lead.to_owned(), Finder::Token(row))));
        all.extend(numbered::leads().map(|lead| (lead, Finder::Numbered)));
        all.extend(cases("authorization").into_iter().map(|word| (word, Finder::Authorization)));
        all.extend(cases("cookie").into_iter().map(|word| (word, Finder::Cookies)));
        for option in ["-u ", "--user ", "--user="] {
            all.push((option.to_owned(), Finder::UserOption(option.len())));
        }
        for name in ["mnemonic", "seed phrase", "seed_phrase", "recovery phrase", "seedphrase"] {
            let words = cases(name).into_iter();
            all.extend(words.map(|word| (word, Finder::Phrase(name.len()))));
        }
        all.extend(["_", "-"].map(|sign| (sign.to_owned(), Finder::Prefixed)));
        for scheme in ["bearer", "basic", "ntlm"] {
            let words = cases(scheme).into_iter();
            all.extend(words.map(|word| (word, Finder::Scheme(scheme.len()))));
        }
        for (word, promise) in assignment::WORDS {
            let named = |case| (case, Finder::Named(word.len(), *promise));
            all.extend(cases(word).into_iter().map(named));
        }
        all.retain(|(lead, _)| !lead.is_empty());
        // A lead that begins like a shorter one is seen where the shorter one is.
        let mut leads: Vec<String> = all.iter().map(|(lead, _)| lead.clone()).collect();
        leads.sort();
        leads.dedup();
        let mut shortest: Vec<String> = Vec::new();
        for lead in leads {
            if !shortest.last().is_some_and(|short| lead.starts_with(short)) {
                shortest.push(lead);
            }
        }
        let mut by_lead = vec![Vec::new(); shortest.len()];
        for (lead, finder) in all {
            let place = shortest.partition_point(|short| *short <= lead).saturating_sub(1);
            if let Some(finders) = by_lead.get_mut(place) {
                finders.push((lead, finder));
            }
        }
        let longest = shortest.iter().map(String::len).max().unwrap_or(1);
        Self { leads: automaton(&shortest), by_lead, longest }
    }

    /// How many bytes must have come past a place to know what begins there.
    pub(super) const fn longest(&self) -> usize {
        self.longest
    }

    /// Returns the next place from `at` on where something may begin, and its finders.
    pub(super) fn next(&self, text: &str, at: usize) -> Option<(usize, usize)> {
        let found = self.leads.find(Input::new(text).range(at..))?;
        Some((found.start(), found.pattern().as_usize()))
    }

    /// Asks the finders of a lead that was seen at `at`; the first answer counts.
    pub(super) fn look(&self, view: &View<'_>, at: usize, lead: usize) -> Option<Sighting> {
        let finders = self.by_lead.get(lead)?;
        for (lead, finder) in finders {
            let sighting = view.starts_with(at, lead).then(|| self.ask(view, at, finder)).flatten();
            if sighting.is_some() || view.is_starved() {
                return sighting;
            }
        }
        None
    }

    fn ask(&self, view: &View<'_>, at: usize, finder: &Finder) -> Option<Sighting> {
        let heading = |end| Sighting { start: at, end, what: What::KeyHeading };
        match finder {
            Finder::Marker => {
                marker::end(view, at).map(|end| Sighting { start: at, end, what: What::Marker })
            }
            Finder::Token(row) => token(view, at, row),
            Finder::Extra(prefix) => extra(view, at, prefix),
            Finder::Heading => key_block::heading(view, at).map(heading),
            Finder::Putty => key_block::putty(view, at).map(heading),
            Finder::Authorization => {
                let found = header::authorization(view, at + "authorization".len())?;
                Some(self.value(view, found, "authorization"))
            }
            Finder::Scheme(length) => {
                let found = header::scheme(view, at + length)?;
                Some(self.value(view, found, "bearer-token"))
            }
            Finder::Cookies => {
                let found = header::cookies(view, at + "cookie".len())?;
                Some(secret(found.start, found.fit, "cookie"))
            }
            Finder::UserOption(length) => {
                let found = header::user_option(view, at + length)?;
                Some(secret(found.start, found.fit, "password"))
            }
            Finder::Phrase(length) => {
                let found = header::phrase(view, at + length)?;
                Some(secret(found.start, found.fit, "seed-phrase"))
            }
            Finder::Prefixed => prefixed(view, at),
            Finder::Address(length) => {
                let found = header::address(view, at + length)?;
                Some(secret(found.start, found.fit, "url-password"))
            }
            Finder::Numbered => {
                let (fit, kind) = numbered::read(view, at)?;
                Some(secret(at, fit, kind))
            }
            Finder::Named(length, promise) => {
                let found = assignment::read(view, at, *length, *promise)?;
                let kind = if *promise == Promise::Password { "password" } else { "key" };
                Some(self.value(view, found, kind))
            }
        }
    }

    // A value that is a token of a known kind is called by that kind.
    fn value(&self, view: &View<'_>, found: Assigned, kind: &'static str) -> Sighting {
        let rest = view.slice(found.start, found.start + self.longest);
        let input = Input::new(rest).anchored(Anchored::Yes);
        let finders =
            self.leads.find(input).and_then(|lead| self.by_lead.get(lead.pattern().as_usize()));
        let known = finders.into_iter().flatten().find_map(|(_, finder)| match finder {
            Finder::Token(row) => {
                token(view, found.start, row).filter(|known| known.start == found.start)
            }
            Finder::Extra(prefix) => extra(view, found.start, prefix),
            _ => None,
        });
        known.unwrap_or_else(|| secret(found.start, found.fit, kind))
    }
}

fn token(view: &View<'_>, at: usize, row: &Row) -> Option<Sighting> {
    if !view.starts_with(at, row.lead) {
        return None;
    }
    let start = match row.back {
        Some((class, least, most)) => back(view, at, class, least, most)?,
        None if row.hides == Hides::Rest || view.token_may_start(at) => at,
        None => return None,
    };
    let body = at + row.lead.len();
    let fit = fit(view, body, row.body)?;
    let judged = view.slice(if row.back.is_some() { start } else { body }, fit.end);
    let proven = match row.proof {
        Proof::Lead => values::may_be_token(judged),
        Proof::Body => values::is_random_token(judged),
        Proof::Holds(words) => {
            words.iter().any(|word| judged.windows(word.len()).any(|part| part == word.as_bytes()))
        }
    };
    let start = if row.hides == Hides::Rest { body } else { start };
    proven.then(|| secret(start, fit, row.kind))
}

// Where the characters before a lead begin, when there are as many as there must be.
fn back(view: &View<'_>, at: usize, class: Class, least: usize, most: usize) -> Option<usize> {
    let count = (1..=most).take_while(|&back| class.has(view.before(at, back))).count();
    // The letters of an escape before the token are no part of it.
    let count = (0..=5.min(count)).map(|less| count - less).find(|&count| {
        count >= least
            && at >= count
            && (!class.has(view.before(at - count, 1)) || view.follows_escape(at - count))
            && view.token_may_start(at - count)
    })?;
    Some(at - count)
}

// `abc_` or `abc-` and a body that only a generator writes: how most services begin their keys.
fn prefixed(view: &View<'_>, at: usize) -> Option<Sighting> {
    const SHORTEST: usize = 20;
    const LONGEST_PREFIX: usize = 10;
    let end = fit(view, at + 1, &[at_least(Class::ALNUM, SHORTEST)])?.end;
    let is_prefix = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let length = (1..=LONGEST_PREFIX).take_while(|&back| is_prefix(view.before(at, back))).count();
    if length < 2 || length == LONGEST_PREFIX || at < length {
        return None;
    }
    let start = at - length;
    let before = view.before(start, 1);
    // A path, a longer name or a sum of a file is no key.
    if before.is_ascii_alphanumeric() || matches!(before, b'/' | b'\\' | b'.' | b'-') {
        return None;
    }
    let prefix = view.slice(start, at);
    if SUMS.iter().any(|name| prefix.starts_with(name.as_bytes()))
        || NUMBERS.iter().any(|name| prefix == name.as_bytes())
        || view.slice(start, at + 1) == b"fc_"
    {
        return None;
    }
    let mut body_end = end;
    while body_end - at <= values::JUDGED
        && view.byte(body_end).is_some_and(|it| Class::ALNUM.has(it))
    {
        body_end += 1;
    }
    let body = view.slice(at + 1, body_end);
    values::is_drawn(body)
        .then(|| secret(start, Fit { end: body_end, open: Some(Class::TOKEN) }, "key"))
}

// What names a sum of something, which is no secret.
const SUMS: &[&str] = &[
    "sha", "md5", "rev", "git", "commit", "hash", "blake", "crc", "sum", "digest", "etag", "uuid",
    "id",
];

// What numbers something: replies, calls and files of providers, jobs and builds of programs. Who
// reads what is kept must still see which belong together.
const NUMBERS: &[&str] = &[
    "acct", "app", "asst", "batch", "build", "call", "ch", "chatcmpl", "chunk", "cmpl", "cs",
    "cus", "evt", "file", "in", "index", "item", "job", "main", "msg", "node", "org", "page", "pi",
    "pm", "price", "prod", "proj", "req", "resp", "rs", "run", "span", "step", "sub", "task",
    "thread", "tmp", "toolu", "trace", "user", "vendor", "worker", "ws",
];

fn extra(view: &View<'_>, at: usize, prefix: &ExtraPrefix) -> Option<Sighting> {
    if !view.starts_with(at, &prefix.prefix) || !view.token_may_start(at) {
        return None;
    }
    let body = at + prefix.prefix.len();
    let end = body + prefix.at_least.clamp(1, values::JUDGED);
    let whole =
        (body..end).all(|place| view.byte(place).is_some_and(|byte| Class::TOKEN.has(byte)));
    whole.then(|| Sighting {
        start: at,
        end,
        what: What::Secret(Cow::Owned(marker::name(&prefix.name)), Some(Class::TOKEN)),
    })
}

const fn secret(start: usize, fit: Fit, kind: &'static str) -> Sighting {
    Sighting { start, end: fit.end, what: What::Secret(Cow::Borrowed(kind), fit.open) }
}

// `api_key`, `API_KEY`, `Api_key`, `apiKey` and `ApiKey` are words of the table; only whole words
// change their case here.
fn cases(word: &str) -> Vec<String> {
    let mut capital = word.to_owned();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    vec![word.to_owned(), word.to_ascii_uppercase(), capital]
}

fn automaton(leads: &[String]) -> AhoCorasick {
    let build = |kind| {
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::LeftmostFirst);
        builder.start_kind(StartKind::Both).kind(kind).build(leads)
    };
    // A table too large for one form is built in a smaller one; only an absurd list fits none.
    build(Some(AhoCorasickKind::DFA))
        .or_else(|_| build(None))
        .expect("the leads of the table and of a caller's settings fit an automaton")
}
