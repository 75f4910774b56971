//! Where continuations of chat, code and JSON belong.
//!
//! In: two texts. Out: the joined text or the refusal. Never a model.

use super::*;
use crate::inspect::{InspectOptions, inspect_free_text};
use salve_types::FinishReason;

fn joined(partial: &str, continuation: &str) -> Result<String, RefusalReason> {
    let found = inspect_free_text(partial, Some(&FinishReason::Length));
    stitch_chat(partial, continuation, &found.verdict)
}

const CODE: &str = "Here:\n\n```rust\nfn add(left: u64) -> u64 {\n    left";

#[test]
fn a_continuation_is_joined_where_it_belongs() {
    let in_code = |rest: &str| Ok(format!("{CODE}{rest}"));
    let cases = [
        (CODE, " + 1\n}\n```\n\nDone.\n", in_code(" + 1\n}\n```\n\nDone.\n")),
        (CODE, " + 1\n}\n", in_code(" + 1\n}\n")),
        // The whole answer again, and then the rest.
        (CODE, &format!("{CODE} + 1\n}}\n```\n"), in_code(" + 1\n}\n```\n")),
        // The line again.
        (CODE, "    left + 1\n}\n```\nDone.", in_code(" + 1\n}\n```\nDone.")),
        (CODE, "", Err(RefusalReason::Empty)),
        (CODE, CODE, Err(RefusalReason::OnlyEcho)),
        ("Run this:\n\n``", "`sh\nls\n```\n", Ok("Run this:\n\n```sh\nls\n```\n".into())),
        ("Run this:\n\n", "```sh\nls\n```\n", Ok("Run this:\n\n```sh\nls\n```\n".into())),
        ("The fox ju", "mps over it.", Ok("The fox jumps over it.".into())),
        ("See https:", "//example.org/a.", Ok("See https://example.org/a.".into())),
        ("A list:\n\n  * one", "\n  * two\n", Ok("A list:\n\n  * one\n  * two\n".into())),
        ("tree-sitter", "/tree-sitter is it", Ok("tree-sitter/tree-sitter is it".into())),
        (
            "It was a dark night, and the old captain",
            "and the old captain said nothing.",
            Ok("It was a dark night, and the old captain said nothing.".into()),
        ),
        // All of a text that is one short word may be said twice.
        ("日 ", "日 ä日 is it.", Ok("日 日 ä日 is it.".into())),
        // The last sentence again, and then code.
        (
            "It is done. See the page about joins for more. ",
            "See the page about joins for more. \n\n```sh\nls\n```\n",
            Ok("It is done. See the page about joins for more. \n\n```sh\nls\n```\n".into()),
        ),
    ];
    for (partial, continuation, expected) in cases {
        assert_eq!(joined(partial, continuation), expected, "{partial:?} {continuation:?}");
    }
}

#[test]
fn a_refusal_is_not_the_rest_of_a_sentence() {
    let refusal = "I'm sorry, but I can't continue this text.";
    assert_eq!(joined("The fox ran into the", refusal), Err(RefusalReason::Talk));
}

#[test]
fn a_short_repetition_in_json_is_kept_where_the_value_needs_it() {
    let options = InspectOptions { language: Some(Language::Json), ..InspectOptions::default() };
    let verdict = inspect_text("[1, 1, ", &options);
    assert_eq!(stitch_chat("[1, 1, ", "1, 1]", &verdict), Ok("[1, 1, 1, 1]".into()));
}
