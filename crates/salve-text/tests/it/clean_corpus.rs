//! The corpus of chatty answers: each reply gives exactly its content, in any chunking, twice.

use super::clean::assert_sound;
use salve_text::{CleanOptions, CleanReply, Cleaner, clean};
use salve_types::{Language, RawReply};

const CORPUS: &str = include_str!("../data/clean/chatty.txt");

struct Case {
    name: String,
    options: CleanOptions,
    flags: Vec<String>,
    reply: String,
    content: String,
}

#[test]
fn o26_corpus_of_chatty_answers_gives_pure_content() {
    let cases = cases();
    assert!(cases.len() >= 50, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let cleaned = clean(&RawReply::from_text(&case.reply), &case.options);
        assert_sound(&cleaned);
        if cleaned.text() != case.content || signs(&cleaned) != expected_signs(case) {
            wrong.push(format!(
                "{}\n--- wanted {:?}\n{}\n--- got {:?}\n{}\n",
                case.name,
                expected_signs(case),
                case.content,
                signs(&cleaned),
                cleaned.text()
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn o30_cleaning_the_corpus_twice_is_cleaning_once() {
    for case in cases() {
        let once = clean(&RawReply::from_text(&case.reply), &case.options);
        let twice = clean(&RawReply::from_text(once.text()), &case.options);
        assert_eq!(twice.text(), once.text(), "{}", case.name);
        assert!(twice.aside().is_empty(), "{}: {:?}", case.name, twice.aside());
    }
}

#[test]
fn x07_pieces_of_any_size_give_the_same_reply() {
    for case in cases() {
        let whole = clean(&RawReply::from_text(&case.reply), &case.options);
        for size in [1, 2, 3, 7, 64] {
            let mut cleaner = Cleaner::new(&case.options);
            let mut piece = String::new();
            for (count, character) in case.reply.chars().enumerate() {
                piece.push(character);
                if count % size == size - 1 {
                    cleaner.push(&piece);
                    piece.clear();
                }
            }
            cleaner.push(&piece);
            assert_eq!(cleaner.finish(), whole, "{} in pieces of {size}", case.name);
        }
    }
}

#[test]
fn every_prefix_of_the_corpus_is_accounted_for() {
    for case in cases() {
        for (cut, _) in case.reply.char_indices() {
            let reply = RawReply::from_text(&case.reply[..cut]);
            let once = clean(&reply, &case.options);
            assert_sound(&once);
            let twice = clean(&RawReply::from_text(once.text()), &case.options);
            assert_eq!(twice.text(), once.text(), "{} cut at {cut}", case.name);
        }
    }
}

fn signs(reply: &CleanReply) -> Vec<&'static str> {
    let signs = [
        ("unclosed_fence", reply.unclosed_fence()),
        ("unclosed_thinking", reply.unclosed_thinking()),
        ("unclosed_wrapper", reply.unclosed_wrapper()),
        ("sentinel", reply.sentinel_seen()),
    ];
    signs.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect()
}

fn expected_signs(case: &Case) -> Vec<&'static str> {
    ["unclosed_fence", "unclosed_thinking", "unclosed_wrapper", "sentinel"]
        .into_iter()
        .filter(|sign| case.flags.iter().any(|flag| flag == sign))
        .collect()
}

fn cases() -> Vec<Case> {
    let corpus = CORPUS.strip_suffix('\n').expect("the corpus ends with a line end");
    corpus.split("\n@@@ ").skip(1).collect::<Vec<_>>().chunks(2).map(read_case).collect()
}

// A case is two parts: name, options and reply, then the word `content` and the content.
fn read_case(parts: &[&str]) -> Case {
    let (head, reply) = parts[0].split_once('\n').expect("a case has a first line");
    let content = parts[1].strip_prefix("content").expect("a reply is followed by its content");
    let content = content.strip_prefix('\n').unwrap_or(content);
    let (name, flags) = head.split_once(" | ").unwrap_or((head, ""));
    let flags: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
    let value = |key: &str| flags.iter().find_map(|flag| flag.strip_prefix(key));
    let options = CleanOptions {
        language: value("lang=").map(|label| Language::from_name(label).expect("a known language")),
        path: value("path=").map(str::to_owned),
        ..CleanOptions::default()
    };
    let has = |flag: &str| flags.iter().any(|other| other == flag);
    let ended = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    let mut reply = ended(reply);
    let mut content = ended(content);
    if has("bare") {
        content.pop();
    }
    if has("cut") {
        reply.pop();
    }
    if has("crlf") {
        reply = reply.replace('\n', "\r\n");
        content = content.replace('\n', "\r\n");
    }
    Case { name: name.to_owned(), options, flags, reply, content }
}
