//! Maps of small indexes, and what holds for any.

use super::*;
use proptest::prelude::*;
use salve_syntax::file_symbols;
use salve_types::Language;

fn index(files: &[(&str, &str)]) -> MapIndex {
    let mut files: Vec<MapFile> = files
        .iter()
        .map(|(path, text)| {
            let language = Language::from_path(path).unwrap_or_default();
            let found = file_symbols(text, language).unwrap_or_default();
            MapFile {
                path: (*path).to_owned(),
                stamp: MapStamp { seconds: 1, nanoseconds: 2, size: text.len() as u64 },
                words: word_hashes(text.as_bytes()),
                symbols: Some(map_symbols(text, &found)),
            }
        })
        .collect();
    files.sort_by(|one, two| one.path.cmp(&two.path));
    let chosen = (0..files.len()).collect();
    MapIndex { files, chosen }
}

fn mentions(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn mail() -> MapIndex {
    index(&[
        (
            "mail/email.py",
            "LIMIT = 3\n\nclass Email:\n    def send(self, to):\n        inner = 1\n        return to\n\ndef parse_address(text):\n    return text\n",
        ),
        (
            "mail/smtp.py",
            "from email import Email, parse_address\n\ndef connect(host):\n    return Email()\n",
        ),
        (
            "app.py",
            "from smtp import connect\nfrom email import Email\n\ndef run():\n    connect('h')\n",
        ),
        (
            "tests/test_email.py",
            "from email import Email\n\ndef test_send():\n    Email().send('a')\n",
        ),
    ])
}

#[test]
fn a_map_shows_what_is_used_most_first() {
    insta::assert_snapshot!(repository_map(&mail(), &[], 1_000), @r"
    mail/email.py:
      3: class Email
        4: def send(self, to)
      8: def parse_address(text)
    mail/smtp.py:
      3: def connect(host)
    app.py:
      4: def run()
    tests/test_email.py:
      3: def test_send()
    ");
    // Within a small budget the best is left, and what is missing is counted.
    insta::assert_snapshot!(repository_map(&mail(), &[], 48), @r"
    mail/email.py:
      3: class Email
      8: def parse_address(text)
    (and 3 more files)
    ");
    assert_eq!(repository_map(&mail(), &[], 3), "");
    assert_eq!(repository_map(&MapIndex::default(), &[], 1_000), "");
}

#[test]
fn what_a_request_mentions_comes_first() {
    let first = |words: &[&str]| {
        let map = repository_map(&mail(), &mentions(words), 60);
        map.lines().next().unwrap_or_default().trim_end_matches(':').to_owned()
    };
    assert_eq!(first(&["connect"]), "mail/smtp.py");
    assert_eq!(first(&["app.py"]), "app.py");
    assert_eq!(first(&["test_send"]), "tests/test_email.py");
    assert_eq!(first(&["smtp"]), "mail/smtp.py");
}

#[test]
fn definitions_are_told_with_their_files() {
    let index = mail();
    let found: Vec<(&str, &str)> = index.definitions().collect();
    assert!(
        found.contains(&("Email", "mail/email.py")) && found.contains(&("connect", "mail/smtp.py"))
    );
    assert!(!found.iter().any(|(name, _)| matches!(*name, "inner" | "to" | "text")));
    assert_eq!((index.len(), index.is_empty()), (4, false));
}

#[test]
fn types_in_types_are_shown_and_their_parameters_are_not() {
    let text = "pub struct Outer<Inner: Clone> { a: Inner }\nmod m { pub fn f<T>() { fn local() {} } }\nimpl Outer { pub fn new() {} }\n";
    let found = file_symbols(text, Language::Rust).unwrap();
    let names: Vec<String> = map_symbols(text, &found).into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["Outer", "m", "f", "new"]);
}

#[test]
fn hostile_names_are_shown_escaped() {
    let index = index(&[(
        "a\u{1b}[2J\n\u{202e}b.py",
        "def f\u{e9}(): pass\ndef ok(): pass # \u{1b}]0;x\u{7}\n",
    )]);
    let map = repository_map(&index, &[], 1_000);
    assert!(!map.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{map:?}");
    assert!(map.starts_with("a\\u{1b}[2J\\n\\u{202e}b.py:\n"), "{map}");
}

#[test]
fn an_index_comes_back_from_its_bytes_and_from_no_others() {
    let files = mail().files;
    let bytes = encode(&files);
    assert_eq!(decode(&bytes), Some(files));
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1;
        assert_eq!(decode(&other), None, "{at}");
        assert_eq!(decode(&bytes[..at]), None, "{at}");
    }
    assert_eq!(decode(&encode(&[])), Some(Vec::new()));
}

fn any_file() -> impl Strategy<Value = (String, Vec<(String, u32, u8)>)> {
    let symbol = ("[a-d\u{1b}]{1,4}", 1_u32..50, 0_u8..2);
    ("[a-c/]{1,4}[\u{0}-\u{40}]?\\.(py|rs)", prop::collection::vec(symbol, 0..6))
}

proptest! {
    #[test]
    fn a_map_keeps_to_its_budget_and_is_the_same_twice(
        files in prop::collection::vec(any_file(), 0..8),
        words in prop::collection::vec("[a-d.]{0,4}", 0..4),
        budget in 0_u64..120,
    ) {
        let mut files: Vec<MapFile> = files
            .into_iter()
            .map(|(path, symbols)| MapFile {
                path,
                stamp: MapStamp { seconds: 0, nanoseconds: 0, size: 9 },
                words: word_hashes(b"abc abd dcb"),
                symbols: Some(symbols.into_iter().map(|(name, line, depth)| MapSymbol {
                    shown: format!("def {name}()"), name, kind: SymbolKind::Function, is_exported: true, depth, line,
                }).collect()),
            })
            .collect();
        files.sort_by(|one, two| one.path.cmp(&two.path));
        let index = MapIndex { chosen: (0..files.len()).collect(), files };
        let map = repository_map(&index, &words, budget);
        prop_assert!(map.len() as u64 <= 2 * budget, "{} of {budget}: {map:?}", map.len());
        prop_assert_eq!(&map, &repository_map(&index, &words, budget));
        prop_assert!(map.chars().all(|letter| letter == '\n' || !letter.is_control()), "{map:?}");
        prop_assert_eq!(decode(&encode(&index.files)), Some(index.files));
    }

    #[test]
    fn any_bytes_are_no_index_or_one(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes);
        let _ = decode(&[&b"SALVMAP1"[..], blake3::hash(&bytes).as_bytes(), &bytes].concat());
    }
}

#[test]
fn a_constant_is_shown_without_its_value() {
    let text = "pub const KEY: &str = \"hidden\";\n\npub fn open(key: &str) -> bool {\n    key == KEY\n}\n";
    let found = file_symbols(text, Language::Rust).unwrap_or_default();
    let shown: Vec<String> =
        map_symbols(text, &found).into_iter().map(|symbol| symbol.shown).collect();
    assert_eq!(shown, ["pub const KEY: &str", "pub fn open(key: &str) -> bool"]);
}
