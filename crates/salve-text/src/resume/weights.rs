//! Every weight of the stitcher, with what set it.
//!
//! All are bits: one bit makes a reading twice as likely. The measure is `cargo xtask stitch`, with
//! its kinds of continuation (`echo_lines`, `half_line`, `shifted`, `meant_repetition`, …), and the
//! tests named `t27_…`: a weight is changed only with their figures on several seeds. In and out:
//! constants. Never a rule: those are in the files that use them.

// Choosing between readings (`stitch.rs`).

/// Two readings closer than this, eight to one, are too close to choose; `meant_repetition` and
/// `unrelated` show what a smaller one joins wrongly.
pub(super) const MARGIN: f32 = 3.0;
/// The margin between readings that differ only in how far lines were moved; many lines agree at
/// once, so half is enough (`shifted`).
pub(super) const MARGIN_OF_MOVES: f32 = MARGIN / 2.0;
/// What a reading gains that the grammar accepts; a join that it rejects is wrong, unless the file
/// is in a dialect that it does not know, and then every reading is rejected.
pub(super) const GRAMMAR_ACCEPTS: f32 = 12.0;
/// What a reading gains that the grammar accepts up to an end that is cut again.
pub(super) const GRAMMAR_ACCEPTS_START: f32 = 6.0;
/// A reading is certain when every other one that the grammar accepts as well is this much less
/// likely; set by `stitch --breaks`, whose wrong joins are never called whole.
pub(super) const CERTAIN: f32 = 8.0;
/// The same where little tells readings apart: a break in a comment or string, an echo of few signs.
pub(super) const CERTAIN_IN_DOUBT: f32 = 20.0;
/// Readings further behind than this are not shown to the grammar.
pub(super) const WITHIN_REACH: f32 = 24.0;
/// The chance that the line breaks at the end of a file were added after the cut.
pub(super) const ADDED_BREAK: f32 = -3.0;
/// The chance that only some of several line breaks were added.
pub(super) const SOME_BREAKS_ADDED: f32 = -4.0;
/// The most that the habits of a text say about an empty line.
pub(super) const MOST_OF_BLANK_LINES: f32 = 2.0;
/// The chance that a model repeats a few signs from the middle of a word or a row of blanks.
pub(super) const FAINT_ECHO: f32 = -5.0;
/// The most that the habits of a text say about a line break at the seam.
pub(super) const MOST_OF_HABITS: f32 = 14.0;
/// Talk longer than this, in bytes, that was set aside without a fence may have been content.
pub(super) const LONG_TALK: usize = 300;
/// How sure the verdict is that a join is not whole which the grammar rejects or another rivals.
pub(super) const DOUBTED: f64 = 0.6;
/// How unlikely it is that a model moves its lines (`shifted`).
pub(super) const MOVE: f32 = 4.5;
/// A repetition this surprising is the continuation's own proof that it belongs here, whatever else
/// is strange about it; the surprise of one declaration.
pub(super) const PROOF_OF_BELONGING: f32 = DECLARATION;

// Repetitions (`repetition.rs`): the surprise of the same thing twice in a row on purpose.
// `t27_meant_repetition_is_less_surprising_than_a_declaration` holds the examples.

/// A closing line, which most blocks share with the block around them.
pub(super) const CLOSER_AGAIN: f32 = 1.0;
/// A row of a table or an item of a list.
pub(super) const ROW_AGAIN: f32 = 2.0;
/// A call for its effect.
pub(super) const CALL_AGAIN: f32 = 3.0;
/// A value put into something that exists.
pub(super) const ASSIGNMENT_AGAIN: f32 = 6.0;
/// A declaration, or anything else that is written once.
pub(super) const DECLARATION: f32 = 14.0;
/// A whole list item of several lines (`t27_items_and_half_lines`).
pub(super) const ITEM_AGAIN: f32 = 8.0;
/// Lines that repeat each other already, so that one more is no surprise.
pub(super) const SELF_REPEATING: f32 = 3.0;
/// Each further different line of a repetition of habits: pairs are repeated more seldom than lines.
pub(super) const EACH_DIFFERENT_LINE: f32 = 3.0;
/// A closing line after another one.
pub(super) const CLOSED_AGAIN: f32 = 3.0;
/// Each further declaration in a repetition.
pub(super) const EACH_DECLARATION: f32 = 6.0;
/// The most that half a row counts: values in columns begin alike.
pub(super) const MOST_OF_HALF_ROW: f32 = 3.0;
/// The most that half a line counts: no one writes half a line twice (`half_line`).
pub(super) const MOST_OF_HALF_LINE: f32 = 30.0;

// What a character tells (`information`): the entropy of source text, about two bits a letter.

/// A blank, or the same sign again.
pub(super) const BLANK: f32 = 0.2;
/// A letter or a digit.
pub(super) const LETTER: f32 = 2.2;
/// Any other sign.
pub(super) const SIGN: f32 = 1.5;

// Echoes (`candidate.rs`).

/// The chance that a model sends everything again (`prefill`).
pub(super) const PREFILL: f32 = -3.0;
/// The chance that it repeats whole lines (`echo_lines`).
pub(super) const REPEATED_LINES: f32 = -4.0;
/// The chance that it begins the cut line again (`half_line`).
pub(super) const REPEATED_HALF_LINE: f32 = -3.0;
/// The chance that it repeats text from the middle of a line (`echo_text`).
pub(super) const REPEATED_TEXT: f32 = -7.0;
/// What an overlap inside a line must tell to be looked at: four letters.
pub(super) const LEAST_INSIDE_LINE: f32 = 8.0;
/// What an overlap must tell to show that lines were not moved: two letters.
pub(super) const LEAST_TO_SHOW_NO_MOVE: f32 = 4.5;
/// The most that a line which starts in the middle of another adds (`echo_text`).
pub(super) const MOST_OF_BROKEN_LINE: f32 = 20.0;
/// A repetition with the indentation of the original (`echo_lines`).
pub(super) const SAME_INDENT: f32 = 3.0;
/// The sign of a comment line, again and as deep (`half_line` in comments).
pub(super) const COMMENT_SIGN_AGAIN: f32 = 5.0;
/// The most that the same line at another depth tells: `try:` in `try:` (`meant_repetition`).
pub(super) const MOST_AT_OTHER_DEPTH: f32 = 3.0;
/// The most that a repetition tells where the text repeats itself anyway (`meant_repetition`).
pub(super) const MOST_IN_PERIOD: f32 = 3.0;
/// The most that one line tells in free text, where a line may be there twice.
pub(super) const MOST_OF_LINE_IN_WORDS: f32 = 6.0;
/// The most that a bad seam after an echo counts against it: the echo explains the seam.
pub(super) const WORST_SEAM_AFTER_ECHO: f32 = -6.0;
/// A move that repeated lines show is all but certain (`mixed`).
pub(super) const SHOWN_MOVE: f32 = -1.0;
/// Not moving after repeated lines showed a move (`mixed`).
pub(super) const IGNORED_MOVE: f32 = -9.0;
/// The chance that the indentation of the cut line is written again.
pub(super) const REPEATED_INDENT: f32 = -5.5;

// Line breaks that are missing or too many (`candidate.rs`).

/// An indented line right after the end of another.
pub(super) const BREAK_BEFORE_INDENT: f32 = 3.0;
/// A word right after a semicolon or brace, in a text that never writes so.
pub(super) const BREAK_AFTER_STATEMENT: f32 = 5.0;
/// The same after an announcement, whose line breaks were set aside (`preamble`).
pub(super) const BREAK_AFTER_ANNOUNCEMENT: f32 = 1.0;
/// A line break inside a word that both texts know whole.
pub(super) const BREAK_IN_WORD: f32 = 6.0;

// The seam (`seam.rs`); `t27_words_at_the_seam_are_checked_against_the_texts` holds the examples.

/// The word made at the seam is used elsewhere.
pub(super) const KNOWN_WORD: f32 = 5.0;
/// A keyword right after half a word.
pub(super) const KEYWORD_IN_WORD: f32 = -6.0;
/// Two known words run together.
pub(super) const WORDS_TOGETHER: f32 = -4.0;
/// The first word of a line twice, or an opener in an opener.
pub(super) const DOUBLED: f32 = -4.0;
/// A line of signs that is there elsewhere.
pub(super) const KNOWN_LINE: f32 = 4.0;
/// Signs that begin other lines.
pub(super) const KNOWN_MARK: f32 = 2.0;
/// Signs that begin no other line.
pub(super) const UNKNOWN_MARK: f32 = -3.0;
/// The end of a comment where none is open.
pub(super) const STRAY_COMMENT_END: f32 = -10.0;
/// Indentation and a word in the middle of a line (`t27_words_at_the_seam…`, third example).
pub(super) const INDENT_IN_LINE: f32 = -8.0;
/// Indentation and a sign in the middle of a line; people align operators.
pub(super) const BLANKS_IN_LINE: f32 = -2.0;
/// A seam below this cannot go on the cut line (`unrelated`).
pub(super) const MISFIT: f32 = -3.0;

// The shape of the joined text (`shape.rs`, `shape/`).

/// Everything is closed at the end.
pub(super) const CLOSED: f32 = 8.0;
/// A closer after the seam has no opener; as telling as a declaration.
pub(super) const CROSSED: f32 = -14.0;
/// Agreeing lines count this share: lines agree by chance too.
pub(super) const SHARE_OF_AGREEMENT: f32 = 0.25;
/// The most that agreement counts.
pub(super) const MOST_AGREEMENT: f32 = 4.0;
/// The most that disagreement counts.
pub(super) const MOST_DISAGREEMENT: f32 = 24.0;
/// Disagreement must be this much heavier than agreement to suggest a move (`shifted`).
pub(super) const SUGGESTS_MOVE: f32 = 2.0;
/// A complete text that never comes back to its margin.
pub(super) const BACK_AT_MARGIN: f32 = 4.0;
/// A line that the indentation rules of Python reject.
pub(super) const REJECTED: f32 = 12.0;
/// A line that they accept.
pub(super) const ACCEPTED: f32 = 1.0;
/// A closer that is not below its opener.
pub(super) const CLOSER: f32 = 6.0;
/// A line whose indentation the seam splits.
pub(super) const SPLIT: f32 = 7.0;
/// A closer where the last one before the seam was wrong already.
pub(super) const UNSURE: f32 = 1.0;
/// A statement that is deeper than the one right before the seam.
pub(super) const SISTER: f32 = 4.0;
/// A level without lines before the seam.
pub(super) const FRESH: f32 = 3.0;
/// Each line of an outermost level without lines before the seam.
pub(super) const FRESH_LINE: f32 = 2.0;
/// The most that one level counts, so that no long list decides alone.
pub(super) const MOST_OF_LEVEL: f32 = 12.0;
/// Outermost lines at the margin that a file with few known lines is presumed to have.
pub(super) const PRESUMED_AT_MARGIN: f32 = 6.0;
/// Levels of words (`do … end`) count this share: their depth is a guess.
pub(super) const SHARE_OF_WORDS: f32 = 0.3;
/// The least that a level must say to count as moved.
pub(super) const LEAST_OF_LEVEL: f32 = 1.0;
