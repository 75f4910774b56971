//! The caps of the ladder: each binds where it is, not one earlier and not one later.
//!
//! In: scripted askers, and caps and limits of every kind. Out: what was asked, and with which limit.
//! Never a model.

use crate::asking::{Script, complete, complete_capped, counted, text};
use FinishReason::{Disconnect, Length, Stop};
use salve_engine::answer::{
    AlreadySent, AskError, Caps, Completed, Completion, IncompleteCode, Wanted,
};
use salve_model::{ModelReply, Purpose};
use salve_types::FinishReason;

const CODE: &str = "```rust\nfn add(left: u64, right: u64) -> u64 {\n    left + right\n}\n```\n";
/// Where the code is cut at first: sixty bytes, or fifteen tokens where nobody counted.
const CUT: usize = 60;

fn limited(limit: u64) -> Wanted {
    Wanted { output_limit: Some(limit), ..Wanted::default() }
}

fn cut(tokens: u64) -> ModelReply {
    counted(text(&CODE[..CUT], Length), tokens)
}

// Asks once; returns how it ended and the limit that the first question had.
fn asked_with(
    first: ModelReply,
    wanted: &Wanted,
    continue_factor: f64,
) -> (Completed, Option<Option<u64>>) {
    let caps = Caps { continue_factor, retries: 0, ..Caps::default() };
    let mut asker = Script::of([text(&CODE[CUT..], Stop)]);
    let completed = complete_capped(first, wanted, &mut asker, AlreadySent::default(), caps);
    (completed, asker.asked.first().map(|asked| asked.max_output_tokens))
}

#[test]
fn a_continuation_has_what_is_left_of_the_limit_and_its_factor() {
    let cases = [
        // Tokens so far, the caller's limit, the factor; what the next piece may take.
        (15, 20, 1.0, Some(Some(5))),
        (19, 20, 1.0, Some(Some(1))),
        (20, 20, 1.0, None),
        // As much as the request says needs no limit of its own.
        (20, 20, 2.0, Some(None)),
        (21, 20, 2.0, Some(Some(19))),
        // A factor below one takes nothing of what the caller allows.
        (15, 20, 0.5, Some(Some(5))),
    ];
    for (so_far, limit, factor, expected) in cases {
        let (completed, asked) = asked_with(cut(so_far), &limited(limit), factor);
        assert_eq!(asked, expected, "{so_far} of {limit}, {factor} times");
        assert_eq!(completed.state == Completion::Whole, expected.is_some());
    }
    // Words keep to the limit itself, whatever the factor.
    let words = counted(text("The fox ran and the hound", Disconnect), 15);
    assert_eq!(asked_with(words, &limited(20), 4.0).1, Some(Some(5)));
    let uncounted = text(&CODE[..CUT], Length);
    let (_, asked) = asked_with(uncounted, &limited(20), 1.0);
    assert_eq!(asked, Some(Some(5)), "a token has about four bytes");
}

#[test]
fn by_default_an_answer_grows_to_four_times_the_limit() {
    let mut asker = Script::of([text(&CODE[CUT..], Stop)]);
    let completed = complete(cut(39), &limited(10), &mut asker);
    assert_eq!(asker.asked[0].max_output_tokens, Some(1));
    assert_eq!(completed.state, Completion::Whole);
    let completed = complete(cut(40), &limited(10), &mut Script::default());
    let Completion::Incomplete { code, .. } = completed.state else { panic!("{completed:?}") };
    assert_eq!(code, IncompleteCode::LimitReached);
}

#[test]
fn the_limit_is_passed_only_by_what_the_answer_holds() {
    let rest = |tokens| counted(text(&CODE[CUT..], Stop), tokens);
    let past = |limit, first, second: ModelReply| {
        let completed = complete(cut(first), &limited(limit), &mut Script::of([second]));
        assert_eq!(completed.state, Completion::Whole);
        completed.continued_past_limit
    };
    assert_eq!(past(20, 15, rest(5)), None, "at the limit is not past it");
    assert_eq!(past(20, 15, rest(6)), Some((20, 21)));
    // An answer from the beginning has none of the tokens of the one before it.
    let caps = Caps { resumes: 0, ..Caps::default() };
    let mut asker = Script::of([counted(text(CODE, Stop), 15)]);
    let sent = AlreadySent::default();
    let completed = complete_capped(cut(15), &limited(20), &mut asker, sent, caps);
    assert_eq!((completed.state, completed.continued_past_limit), (Completion::Whole, None));
}

#[test]
fn reasoning_that_took_all_is_given_twice_as_much_within_the_factor_and_the_caps() {
    let thought = counted(text("", Length), 100);
    let asked = |wanted: &Wanted, caps: Caps| {
        let mut asker = Script::of([text("Yes.", Stop)]);
        let sent = AlreadySent::default();
        let _ = complete_capped(thought.clone(), wanted, &mut asker, sent, caps);
        asker.asked.first().map(|asked| asked.max_output_tokens)
    };
    let factor = |continue_factor| Caps { continue_factor, ..Caps::default() };
    assert_eq!(asked(&limited(100), factor(4.0)), Some(Some(200)));
    assert_eq!(asked(&limited(100), factor(1.5)), Some(Some(150)));
    assert_eq!(asked(&Wanted::default(), factor(4.0)), Some(Some(200)), "twice what it took");
    assert_eq!(asked(&limited(100), Caps { resumes: 0, ..Caps::default() }), None);
    assert!(asked(&limited(100), Caps { resumes: 1, ..Caps::default() }).is_some());
}

#[test]
fn only_failures_in_a_row_end_it() {
    let failed = || Err(AskError::Failed("503".into()));
    let end = CODE.len();
    let replies = [
        failed(),
        Ok(text(&CODE[CUT..CUT + 8], Length)),
        failed(),
        Ok(text(&CODE[CUT + 8..end], Stop)),
    ];
    let mut asker = Script { replies: replies.into(), ..Script::default() };
    let caps = Caps { resumes: 4, ..Caps::default() };
    let sent = AlreadySent::default();
    let completed = complete_capped(cut(15), &Wanted::default(), &mut asker, sent, caps);
    assert_eq!((completed.state, completed.reply.text.as_str()), (Completion::Whole, CODE));
    assert_eq!(asker.purposes(), [Purpose::Resume; 4]);
}
