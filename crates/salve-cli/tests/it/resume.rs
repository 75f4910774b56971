//! `salve resume`: prompt and stitch.
//!
//! In: a cut text and a continuation in files. Out: the contract of the commands.

use crate::run::{folder, salve, salve_in, write};

#[test]
fn t24_the_prompt_names_the_kind_and_the_closer() {
    let prompt = salve(&["resume", "prompt", "--lang", "tsx"], "const a = <p className=\"bg-").out;
    assert!(prompt.contains("OPEN_DOUBLE_QUOTE"), "{prompt}");
    assert!(prompt.contains("[HEALER_MODE: AUTO_RESUME]"), "{prompt}");
    assert!(prompt.contains("STRING SAFETY"), "{prompt}");
}

#[test]
fn a_template_of_your_own_is_used_and_checked() {
    let place = folder("template");
    write(&place.join("mine.txt"), "Go on after {ERROR_TYPE}: {CONTEXT_TAIL}\n");
    write(&place.join("bad.txt"), "{NO_SUCH_THING}\n");
    let mine = ["resume", "prompt", "--lang", "rust", "--template", "mine.txt"];
    let prompt = salve_in(&mine, "fn f() { \"x", &place, &[]).out;
    assert!(prompt.starts_with("Go on after OPEN_DOUBLE_QUOTE"), "{prompt}");
    let bad = ["resume", "prompt", "--lang", "rust", "--template", "bad.txt"];
    let ended = salve_in(&bad, "fn f() { \"x", &place, &[]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("NO_SUCH_THING"), "{}", ended.err);
}

#[test]
fn stitch_prints_the_joined_text_and_tells_what_it_dropped() {
    let place = folder("stitch");
    write(&place.join("a.py"), "def f():\n    return [1,\n            2");
    write(&place.join("b.txt"), "```python\n            2]\n```\n");
    let arguments = ["resume", "stitch", "--partial", "a.py", "--continuation", "b.txt"];
    let ended = salve_in(&arguments, "", &place, &[]);
    assert_eq!(ended.out, "def f():\n    return [1,\n            2]\n");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("dropped"), "{}", ended.err);
}

#[test]
fn a_refused_join_is_exit_code_1_and_prints_nothing() {
    let place = folder("refused");
    write(&place.join("a.py"), "def f():\n    return [1,\n");
    write(&place.join("b.txt"), "I'm sorry, but I can't help with that request.\n");
    let arguments = ["resume", "stitch", "--partial", "a.py", "--continuation", "b.txt"];
    let ended = salve_in(&arguments, "", &place, &[]);
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.out, "");
    assert!(ended.err.starts_with("Refused"), "{}", ended.err);
}

#[test]
fn a_file_that_ends_in_a_line_break_is_joined_where_it_was_cut() {
    let place = folder("added-break");
    write(&place.join("p"), "def f(a):\n    x = a + 1\n    y = x *\n");
    write(&place.join("c"), "    y = x * 2\n    return y\n");
    write(&place.join("other"), "    return y\n");
    let arguments =
        ["resume", "stitch", "--partial", "p", "--continuation", "c", "--lang", "python"];
    let ended = salve_in(&arguments, "", &place, &[]);
    assert_eq!(ended.out, "def f(a):\n    x = a + 1\n    y = x * 2\n    return y\n");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("line break"), "{}", ended.err);
    let arguments =
        ["resume", "stitch", "--partial", "p", "--continuation", "other", "--lang", "python"];
    let ended = salve_in(&arguments, "", &place, &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(!ended.err.contains("is whole"), "{}", ended.err);
}
