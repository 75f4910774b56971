//! Every class of damage, with what it must be read as.

use super::super::ParseMode;
use super::{check_both, check_table};

#[test]
fn c150_missing_and_other_quotes() {
    check_both(&[
        (r#"{name: "Ada", 'born': 1815}"#, r#"{"name": "Ada", "born": 1815}"#),
        (r#"{"city": London, "open": yes}"#, r#"{"city": "London", "open": "yes"}"#),
        (r#"{“name”: “Ada”}"#, r#"{"name": "Ada"}"#),
        (r#"{‘name’: ‘Ada’}"#, r#"{"name": "Ada"}"#),
        (r#"{"a": `tick`}"#, r#"{"a": "tick"}"#),
        (r#"{"name: "Ada"}"#, r#"{"name": "Ada"}"#),
        (r#"{name": "Ada"}"#, r#"{"name": "Ada"}"#),
        (r#"{"a": Ada", "b": 2}"#, r#"{"a": "Ada", "b": 2}"#),
        (r#"{"a": "one, "b": 2}"#, r#"{"a": "one", "b": 2}"#),
        ("[\"one,\n\"two\"]", r#"["one", "two"]"#),
    ]);
}

#[test]
fn c150_missing_and_extra_signs() {
    check_both(&[
        ("[1 2 3]", "[1, 2, 3]"),
        ("[1, 2, 3,]", "[1, 2, 3]"),
        ("[,1,,2]", "[1, 2]"),
        (r#"{"a": 1 "b": 2}"#, r#"{"a": 1, "b": 2}"#),
        ("{\"a\": \"x\"\n\"b\": \"y\"}", r#"{"a": "x", "b": "y"}"#),
        (r#"{"a" 1, "b" "two"}"#, r#"{"a": 1, "b": "two"}"#),
        (r#"{"a" = 1, "b" => 2}"#, r#"{"a": 1, "b": 2}"#),
        (r#"{"a":: 1}"#, r#"{"a": 1}"#),
        (r#"["k": "v"]"#, r#"[{"k": "v"}]"#),
        (r#"{"a": "x",, "b": "y"}"#, r#"{"a": "x", "b": "y"}"#),
        (r#"{"a": "x", STRAY "b": "y"}"#, r#"{"a": "x", "b": "y"}"#),
    ]);
    check_table(ParseMode::Llm, &[(r#"{"a": "x", "b"}"#, r#"{"a": "x", "b": ""}"#)]);
}

#[test]
fn c150_brackets() {
    check_both(&[
        (r#"{"a": [1, 2}"#, r#"{"a": [1, 2]}"#),
        (r#"[{"a": 1, {"b": 2}]"#, r#"[{"a": 1, "b": 2}]"#),
        (r#"{"a": 1}}"#, r#"{"a": 1}"#),
        (r#"[1, [2, 3]"#, "[1, [2, 3]]"),
        (r#"{"a": (1, 2), "b": ("x"), "c": ()}"#, r#"{"a": [1, 2], "b": "x", "c": []}"#),
        (r#"{{"a": 1}}"#, r#"{"a": 1}"#),
        (r#"{"r": [["a"], ["b"]], ["c"]], "n": 1}"#, r#"{"r": [["a"], ["b"], ["c"]], "n": 1}"#),
        (r#"{"r": [{"a": 1}], {"b": 2}], "n": 1}"#, r#"{"r": [{"a": 1}, {"b": 2}], "n": 1}"#),
    ]);
}

#[test]
fn c150_concatenated_fields_after_an_early_brace() {
    check_table(
        ParseMode::Llm,
        &[
            (r#"{"a": 1}, "b": 2, "c": 3}"#, r#"{"a": 1, "b": 2, "c": 3}"#),
            (r#"{"a": {"x": 1}}, "b": 2}"#, r#"{"a": {"x": 1}, "b": 2}"#),
            (r#"{}, "b": 2}"#, r#"{"b": 2}"#),
        ],
    );
}

#[test]
fn c150_unescaped_quotes() {
    check_both(&[
        (r#"{"a": "she said "no" twice", "b": 1}"#, r#"{"a": "she said \"no\" twice", "b": 1}"#),
        (r#"{"a": "x="1", y="2"", "b": 1}"#, r#"{"a": "x=\"1\", y=\"2\"", "b": 1}"#),
        (r#"["a "b" c"]"#, r#"["a \"b\" c"]"#),
        (r#"{'a': 'it's fine', 'b': 1}"#, r#"{"a": "it's fine", "b": 1}"#),
        (r#"{"a": "<a href="x">y</a>"}"#, r#"{"a": "<a href=\"x\">y</a>"}"#),
        (r#"{"k"e"y": 1}"#, r#"{"k\"e\"y": 1}"#),
        (r#"{""a"": ""b""}"#, r#"{"a": "b"}"#),
        (r#"{"a": """one "two" three""", "b": 1}"#, r#"{"a": "one \"two\" three", "b": 1}"#),
        (
            r#"{"code": "f({"a": 1, "b": [2]});", "n": 1}"#,
            r#"{"code": "f({\"a\": 1, \"b\": [2]});", "n": 1}"#,
        ),
        (
            r#"{"x": "an object {"k": "v"}, inside words"}"#,
            r#"{"x": "an object {\"k\": \"v\"}, inside words"}"#,
        ),
    ]);
}

#[test]
fn c150_escapes_and_controls() {
    check_both(&[
        ("{\"a\": \"one\ntwo\ttabs\"}", r#"{"a": "one\ntwo\ttabs"}"#),
        (r#"{"a": "it\'s"}"#, r#"{"a": "it's"}"#),
        (r#"{\"a\": \"b\"}"#, r#"{"a": "b"}"#),
        (r#"{"a": "C:\users"}"#, r#"{"a": "C:\\users"}"#),
        (r#"{"a": "\ud83d\ude00 \ud83d"}"#, r#"{"a": "😀 \ufffd"}"#),
        ("{\"a\":\u{a0}1}", r#"{"a": 1}"#),
    ]);
    check_table(ParseMode::Llm, &[(r#"["\d+\.\w"]"#, r#"["\\d+\\.\\w"]"#)]);
    check_table(ParseMode::Text, &[(r#"["\d"]"#, r#"["d"]"#)]);
}

#[test]
fn c150_literals_and_numbers() {
    check_both(&[
        ("[True, FALSE, None, undefined, NaN]", "[true, false, null, null, null]"),
        ("[+1, .5, 2., 1_000, -.5]", "[1, 0.5, 2.0, 1000, -0.5]"),
        ("[007, 1.2.3, 10/3, 2fast]", r#"["007", "1.2.3", "10/3", "2fast"]"#),
        ("[1e_, 1._5]", r#"["1e_", "1._5"]"#),
        ("[- Infinity, -]", "[null, -0]"),
        (
            "[123456789012345678901234567890.000000000000000000001]",
            "[123456789012345678901234567890.000000000000000000001]",
        ),
    ]);
}

#[test]
fn c150_comments_ellipses_and_joins() {
    check_both(&[
        ("[1, // one\n 2 /* two */, # three\n 3]", "[1, 2, 3]"),
        ("[1, 2, ...]", "[1, 2]"),
        (r#"{"a": 1, ...}"#, r#"{"a": 1}"#),
        (r#"{"a": "one " + 'two'}"#, r#"{"a": "one two"}"#),
        (r#"{"id": ObjectId("5f"), "n": NumberLong(2)}"#, r#"{"id": "5f", "n": 2}"#),
        (r#"[move(x=1, to='b')]"#, r#"[{"move": {"x": 1, "to": "b"}}]"#),
    ]);
}

#[test]
fn text_mode_reads_the_whole_text() {
    check_table(
        ParseMode::Text,
        &[
            ("hello world", r#""hello world""#),
            ("{\"a\": 1}\n{\"b\": 2}\n", r#"[{"a": 1}, {"b": 2}]"#),
            ("1, 2, 3", "[1, 2, 3]"),
            ("callback({\"a\": 1});", r#"{"a": 1}"#),
            ("```json\n{\"a\": 1}\n```", r#"{"a": 1}"#),
            (r#"\"escaped\""#, r#""escaped""#),
            (r#"["https://a.b/c, 2]"#, r#"["https://a.b/c", 2]"#),
            (r#"{"a":}"#, r#"{"a": null}"#),
            ("/* c */ {} // d", "{}"),
        ],
    );
}
