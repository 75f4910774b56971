//! Registered agents in `salve heal`: programs and addresses, helpful, broken, slow and lying.
//!
//! In: a small project whose fault no free fix knows. Out: the report, the tree, what an agent was told.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use crate::heal::salve;
use crate::run::{folder, write};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

const CODE: &str = "def largest(numbers):\n    return min(numbers)\n";
const FIXED: &str = "def largest(numbers):\n    return max(numbers)\n";
const TESTS: &str = "import unittest\n\nfrom shelf import largest\n\n\nclass ShelfTest(unittest.TestCase):\n    \
                     def test_largest(self):\n        self.assertEqual(largest([1, 3, 2]), 3)\n";
const EDIT: &str = "shelf.py\n<<<<<<< SEARCH\n    return min(numbers)\n=======\n    return max(numbers)\n>>>>>>> REPLACE\n";

fn project(name: &str, agents: &str) -> (PathBuf, PathBuf) {
    let (place, settings) = (folder(name), folder(&format!("{name}-user")));
    write(&place.join("shelf.py"), CODE);
    write(&place.join("test_shelf.py"), TESTS);
    write(&settings.join("salve/config.toml"), agents);
    (place, settings)
}

// A program that prints this.
fn printing(name: &str, text: &str, rest: &str) -> String {
    let code = format!("import sys; sys.stdin.read(); print({text:?})");
    let code = serde_json::to_string(&code).unwrap();
    format!("[[agent]]\nname = '{name}'\ncommand = ['python3', '-c', {code}]\n{rest}\n")
}

fn heal(place: &Path, settings: &Path) -> Value {
    let arguments = ["--format", "json", "heal", "--", "python3", "-m", "unittest", "-q"];
    let ended = salve(&arguments, "", place, settings);
    assert!(ended.code.is_some(), "{ended:?}");
    ended.json()
}

fn codes(report: &Value) -> BTreeMap<String, String> {
    let turns = report["agents"].as_array().unwrap().iter();
    let word = |turn: &Value, key: &str| turn[key].as_str().unwrap().to_owned();
    turns.map(|turn| (word(turn, "agent"), word(turn, "code"))).collect()
}

fn text(place: &Path, name: &str) -> String {
    std::fs::read_to_string(place.join(name)).unwrap()
}

#[test]
fn h49_a_broken_agent_costs_nothing_and_one_that_weakens_a_test_is_refused() {
    let lie = "test_shelf.py\n<<<<<<< SEARCH\n        self.assertEqual(largest([1, 3, 2]), 3)\n=======\n        \
               self.assertEqual(largest([1, 3, 2]), 1)\n>>>>>>> REPLACE\n";
    let answer = |edit: &str| serde_json::json!({ "edit": edit, "text": "min is max" }).to_string();
    let agents = [
        printing("garbage", "I do not know", "classes = ['test']"),
        printing("liar", &answer(lie), "classes = ['test']"),
        printing("helper", &answer(EDIT), ""),
        printing("loner", &answer(EDIT), "classes = ['lint']\nbroadcast = false"),
    ];
    let (place, settings) = project("heal-agents", &agents.concat());
    let report = heal(&place, &settings);
    assert_eq!(report["outcome"], "Repaired", "{report:#}");
    assert_eq!(report["source"], "proposal");
    assert_eq!(report["model_calls"], 0);
    let expected = [("garbage", "unreadable"), ("helper", "proposed"), ("liar", "proposed")];
    let expected = expected.map(|(agent, code)| (agent.to_owned(), code.to_owned()));
    assert_eq!(codes(&report), expected.into(), "{report:#}");
    let story = report["story"].to_string();
    assert!(story.contains("proposal liar: min is max: refused: "), "{story}");
    assert_eq!(
        (text(&place, "shelf.py"), text(&place, "test_shelf.py")),
        (FIXED.into(), TESTS.into())
    );
    let decisions = text(&place, ".salve/decisions.log");
    assert!(decisions.contains("by proposal helper: "), "{decisions}");
}

#[test]
fn h49_h50_an_address_is_asked_and_a_slow_agent_is_ended() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let agents = format!(
        "[[agent]]\nname = 'slow'\ncommand = ['sleep', '600']\ntimeout_seconds = 1\n\
         [[agent]]\nname = 'remote'\nurl = 'http://127.0.0.1:{port}/fix'\n{}",
        printing("adviser", "{\"text\": \"look at min\"}", "")
    );
    let (place, settings) = project("heal-agents-http", &agents);
    let served = std::thread::spawn(move || answered(&listener));
    let report = heal(&place, &settings);
    assert_eq!(report["outcome"], "Repaired", "{report:#}");
    let expected = [("adviser", "advised"), ("remote", "proposed"), ("slow", "too_slow")];
    let expected = expected.map(|(agent, code)| (agent.to_owned(), code.to_owned()));
    assert_eq!(codes(&report), expected.into(), "{report:#}");
    assert_eq!(text(&place, "shelf.py"), FIXED);
    let asked: Value = serde_json::from_str(&served.join().unwrap()).unwrap();
    assert_eq!(asked["to"], "remote");
    assert_eq!(asked["diagnostics"][0]["class"], "test", "{asked:#}");
    assert!(asked["context"].as_str().unwrap().contains("largest([1, 3, 2])"), "{asked:#}");
}

// Answers one request, and returns the document that came with it.
fn answered(listener: &TcpListener) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let mut came = Vec::new();
    let mut buffer = [0; 4096];
    let document = loop {
        let count = stream.read(&mut buffer).unwrap();
        assert!(count > 0, "the request ended early");
        came.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&came).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.to_lowercase();
        let length = length.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
        if body.len() >= length.trim().parse::<usize>().unwrap() {
            break body.to_owned();
        }
    };
    let answer = serde_json::json!({ "edit": EDIT }).to_string();
    let length = answer.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
    stream.write_all((head + &answer).as_bytes()).unwrap();
    document
}

#[test]
fn an_agent_may_mend_the_files_of_its_shadow_and_reaches_no_others() {
    let code =
        "text = open('shelf.py').read().replace('min', 'max'); open('shelf.py', 'w').write(text)";
    let agents = format!(
        "[[agent]]\nname = 'mender'\ncommand = ['python3', '-c', {}]\n",
        serde_json::to_string(code).unwrap()
    );
    let (place, settings) = project("heal-agents-mend", &agents);
    let arguments =
        ["--format", "json", "heal", "--dry-run", "--", "python3", "-m", "unittest", "-q"];
    let report = salve(&arguments, "", &place, &settings).json();
    assert_eq!(report["outcome"], "Repaired", "{report:#}");
    assert_eq!(report["patch"]["files"]["shelf.py"], FIXED);
    assert_eq!(text(&place, "shelf.py"), CODE);
}
