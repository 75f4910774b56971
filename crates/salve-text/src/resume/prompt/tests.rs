//! Golden prompts per kind of cut, and the promises every prompt keeps.

use super::*;
use salve_types::{ErrorType, Language};

fn open(kind: OpenKind, closer: &str) -> OpenConstruct {
    OpenConstruct { kind, line: 1, column: 1, offset: 0, closer: closer.to_owned() }
}

fn verdict(
    language: Language,
    kind: TruncationKind,
    line: u32,
    open: Vec<OpenConstruct>,
) -> Verdict {
    Verdict {
        is_valid: false,
        error_type: Some(ErrorType::TruncationDetected),
        error_message: Some("cut".to_owned()),
        truncation_line: Some(line),
        kind: Some(kind),
        opened_at_line: Some(line),
        closing: open.iter().rev().map(|open| open.closer.as_str()).collect(),
        open,
        confidence: 1.0,
        evidence: Vec::new(),
        language,
    }
}

fn class_name_cut() -> Verdict {
    let stack = vec![
        open(OpenKind::Brace, "}"),
        open(OpenKind::Paren, ")"),
        open(OpenKind::Tag, ">"),
        open(OpenKind::DoubleQuote, "\""),
    ];
    verdict(Language::Tsx, TruncationKind::OpenDoubleQuote, 3, stack)
}

const CLASS_NAME: &str =
    "export function Card() {\n  return (\n    <div className=\"bg-gradient-to-r from-zinc-9";

#[test]
fn t21_golden_open_double_quote() {
    let prompt = resume_prompt(CLASS_NAME, &class_name_cut(), &PromptOptions::default()).unwrap();
    insta::assert_snapshot!(prompt, @r#"
    [HEALER_MODE: AUTO_RESUME]
    Your previous response was CUT OFF mid-generation.
    Your previous generation was TRUNCATED at approximately line 3.
    ERROR TYPE: OPEN_DOUBLE_QUOTE

    ⚠️ STRING SAFETY: Your last token was inside an unclosed string.
    YOUR FIRST OUTPUT MUST: Close the string with " (or ' or `) and any open tags.
    EXACT CLOSER: `"` then `>`, as soon as the text inside is complete.
    EXAMPLE: ...gradient-to-r from-zinc-900"> to close a className.

    LAST 400 CHARACTERS:
    ```tsx
    export function Card() {
      return (
        <div className="bg-gradient-to-r from-zinc-9
    ```
    The cut is inside the last line: your first character follows its last character directly.

    INSTRUCTIONS:
    1. Continue EXACTLY from the cutoff point
    2. Do NOT repeat any code
    3. Complete the remaining logic
    4. End with: // --- VIBECODER_COMPLETE ---
    "#);
}

#[test]
fn t21_golden_unbalanced_braces_after_a_length_limit() {
    let stack = vec![open(OpenKind::Brace, "}"), open(OpenKind::Paren, ")")];
    let verdict = verdict(Language::Rust, TruncationKind::UnbalancedBraces, 2, stack);
    let options =
        PromptOptions { finish_reason: Some(FinishReason::Length), ..PromptOptions::default() };
    let prompt = resume_prompt("fn main() {\n    call(\n", &verdict, &options).unwrap();
    insta::assert_snapshot!(prompt, @r#"
    [HEALER_MODE: AUTO_RESUME]
    Your previous response was CUT OFF mid-generation.
    The output length limit was reached; spend no characters on anything but the rest.
    Your previous generation was TRUNCATED at approximately line 2.
    ERROR TYPE: UNBALANCED_BRACES
    STILL OPEN: the rest must in the end close, innermost first: `)` then `}`.

    LAST 400 CHARACTERS:
    ```rust
    fn main() {
        call(

    ```
    The cut is right after a line break: your first character starts a new line.

    INSTRUCTIONS:
    1. Continue EXACTLY from the cutoff point
    2. Do NOT repeat any code
    3. Complete the remaining logic
    4. End with: // --- VIBECODER_COMPLETE ---
    "#);
}

#[test]
fn t21_golden_open_json_after_a_broken_connection() {
    let stack = vec![open(OpenKind::Brace, "}"), open(OpenKind::Bracket, "]")];
    let verdict = verdict(Language::Json, TruncationKind::OpenJson, 1, stack);
    let options =
        PromptOptions { finish_reason: Some(FinishReason::Disconnect), ..PromptOptions::default() };
    let prompt = resume_prompt("{\"items\": [1, 2,", &verdict, &options).unwrap();
    insta::assert_snapshot!(prompt, @r#"
    [HEALER_MODE: AUTO_RESUME]
    Your previous response was CUT OFF mid-generation.
    The network connection broke while you were writing; no limit was reached.
    Your previous generation was TRUNCATED at approximately line 1.
    ERROR TYPE: OPEN_JSON
    STILL OPEN: the rest must in the end close, innermost first: `]` then `}`.

    LAST 400 CHARACTERS:
    ```json
    {"items": [1, 2,
    ```
    The cut is inside the last line: your first character follows its last character directly.

    INSTRUCTIONS:
    1. Continue EXACTLY from the cutoff point
    2. Do NOT repeat any code
    3. Complete the remaining logic
    4. End right after the last character of the text, with nothing behind it
    "#);
}

#[test]
fn t21_golden_open_tag() {
    let stack = vec![open(OpenKind::Paren, ")"), open(OpenKind::Tag, ">")];
    let verdict = verdict(Language::Tsx, TruncationKind::OpenJsxTag, 1, stack);
    let prompt =
        resume_prompt("return (<button disabled", &verdict, &PromptOptions::default()).unwrap();
    insta::assert_snapshot!(prompt, @r#"
    [HEALER_MODE: AUTO_RESUME]
    Your previous response was CUT OFF mid-generation.
    Your previous generation was TRUNCATED at approximately line 1.
    ERROR TYPE: OPEN_JSX_TAG

    ⚠️ TAG SAFETY: Your last token was inside an unclosed tag.
    YOUR FIRST OUTPUT MUST: Finish the attribute you were in, if any, and close the tag.
    EXACT CLOSER: `>`, as soon as the text inside is complete.
    EXAMPLE: ...disabled={busy}> to close a <button.

    LAST 400 CHARACTERS:
    ```tsx
    return (<button disabled
    ```
    The cut is inside the last line: your first character follows its last character directly.

    INSTRUCTIONS:
    1. Continue EXACTLY from the cutoff point
    2. Do NOT repeat any code
    3. Complete the remaining logic
    4. End with: // --- VIBECODER_COMPLETE ---
    "#);
}

#[test]
fn t21_golden_general_truncation() {
    let verdict = verdict(Language::Python, TruncationKind::GeneralTruncation, 1, Vec::new());
    let prompt = resume_prompt("total = a +", &verdict, &PromptOptions::default()).unwrap();
    insta::assert_snapshot!(prompt, @r#"
    [HEALER_MODE: AUTO_RESUME]
    Your previous response was CUT OFF mid-generation.
    Your previous generation was TRUNCATED at approximately line 1.
    ERROR TYPE: GENERAL_TRUNCATION

    LAST 400 CHARACTERS:
    ```python
    total = a +
    ```
    The cut is inside the last line: your first character follows its last character directly.

    INSTRUCTIONS:
    1. Continue EXACTLY from the cutoff point
    2. Do NOT repeat any code
    3. Complete the remaining logic
    4. End with: # --- VIBECODER_COMPLETE ---
    "#);
}

#[test]
fn t20_golden_continuation_mode() {
    let options = PromptOptions { template: Template::Continuation, ..PromptOptions::default() };
    let prompt = resume_prompt(CLASS_NAME, &class_name_cut(), &options).unwrap();
    insta::assert_snapshot!(prompt, @r#"
    [CONTINUATION_MODE]
    Your previous response was CUT OFF mid-generation.

    TRUNCATION CONTEXT:
    - Line: 3
    - Error type: OPEN_DOUBLE_QUOTE
    - Needed to close what is open: `"` then `>`
    - Last 400 characters:
    ```tsx
    export function Card() {
      return (
        <div className="bg-gradient-to-r from-zinc-9
    ```
    The cut is inside the last line: your first character follows its last character directly.

    CRITICAL INSTRUCTIONS:
    0. The truncation ended inside a string: your FIRST characters must CLOSE that string with `"` then `>` and any open tags
    1. Continue EXACTLY from the cutoff point
    2. Do NOT repeat any code
    3. Then continue the logic naturally until it is complete
    4. End with: // --- VIBECODER_COMPLETE ---
    "#);
}

const KINDS: [TruncationKind; 13] = [
    TruncationKind::OpenDoubleQuote,
    TruncationKind::OpenSingleQuote,
    TruncationKind::OpenTemplateLiteral,
    TruncationKind::OpenJsxTag,
    TruncationKind::UnbalancedBraces,
    TruncationKind::GeneralTruncation,
    TruncationKind::OpenComment,
    TruncationKind::OpenFence,
    TruncationKind::OpenJson,
    TruncationKind::OpenHeredoc,
    TruncationKind::OpenRegex,
    TruncationKind::OpenElement,
    TruncationKind::OpenBlock,
];

#[test]
fn t24_every_kind_stands_in_its_prompt_in_both_templates() {
    for template in [Template::AutoResume, Template::Continuation] {
        let options = PromptOptions { template, ..PromptOptions::default() };
        for kind in KINDS {
            let verdict = verdict(Language::JavaScript, kind, 1, Vec::new());
            let prompt = resume_prompt("let x = ", &verdict, &options).unwrap();
            assert!(prompt.contains(kind.name()), "{prompt}");
        }
    }
}

#[test]
fn t19_string_safety_only_for_the_open_string_family() {
    for kind in KINDS {
        let verdict = verdict(Language::JavaScript, kind, 1, Vec::new());
        let prompt = resume_prompt("let x = ", &verdict, &PromptOptions::default()).unwrap();
        let family = kind.family();
        assert_eq!(
            prompt.contains("⚠️ STRING SAFETY: Your last token was inside an unclosed string."),
            family == TruncationFamily::OpenString,
            "{prompt}"
        );
        assert_eq!(prompt.contains("TAG SAFETY"), family == TruncationFamily::OpenTag, "{prompt}");
    }
}

#[test]
fn t22_all_four_instructions_with_the_sentinel_of_the_language() {
    let check = |language, ending: &str| {
        let verdict = verdict(language, TruncationKind::GeneralTruncation, 1, Vec::new());
        for template in [Template::AutoResume, Template::Continuation] {
            let options = PromptOptions { template, ..PromptOptions::default() };
            let prompt = resume_prompt("x", &verdict, &options).unwrap();
            assert!(prompt.contains("1. Continue EXACTLY from the cutoff point\n"), "{prompt}");
            assert!(prompt.contains("2. Do NOT repeat any code\n"), "{prompt}");
            assert!(prompt.contains("\n3. "), "{prompt}");
            assert!(prompt.contains(&format!("4. {ending}\n")), "{prompt}");
        }
    };
    check(Language::Rust, "End with: // --- VIBECODER_COMPLETE ---");
    check(Language::Python, "End with: # --- VIBECODER_COMPLETE ---");
    check(Language::Html, "End with: <!-- --- VIBECODER_COMPLETE --- -->");
    check(Language::Json, "End right after the last character of the text, with nothing behind it");
}

#[test]
fn t23_the_fence_holds_a_tail_with_fences() {
    let text = "# Title\n\n````md\n```\n";
    let verdict = verdict(Language::Markdown, TruncationKind::OpenFence, 4, Vec::new());
    let prompt = resume_prompt(text, &verdict, &PromptOptions::default()).unwrap();
    assert!(prompt.contains("\n`````markdown\n# Title"), "{prompt}");
    let long = "ä".repeat(10_000);
    let prompt = resume_prompt(&long, &verdict, &PromptOptions::default()).unwrap();
    assert_eq!(prompt.matches('ä').count(), 400);
    let options = PromptOptions { tail_characters: 7, ..PromptOptions::default() };
    let prompt = resume_prompt(&long, &verdict, &options).unwrap();
    assert_eq!(prompt.matches('ä').count(), 7);
    assert!(prompt.contains("LAST 7 CHARACTERS:"), "{prompt}");
}

#[test]
fn t24_the_exact_closer_is_named_innermost_first() {
    let prompt = |verdict| resume_prompt("x", &verdict, &PromptOptions::default()).unwrap();
    assert!(prompt(class_name_cut()).contains("EXACT CLOSER: `\"` then `>`,"));
    let stack = vec![open(OpenKind::Brace, "}"), open(OpenKind::Template, "`")];
    let cut = verdict(Language::TypeScript, TruncationKind::OpenTemplateLiteral, 1, stack);
    assert!(prompt(cut).contains("EXACT CLOSER: `` ` ``,"));
    let deep = vec![open(OpenKind::Bracket, "]"); 10_000];
    let cut = verdict(Language::JavaScript, TruncationKind::UnbalancedBraces, 1, deep);
    assert!(prompt(cut).contains("`]` then 9992 more"));
}

#[test]
fn t20_a_user_template_replaces_the_built_in_one() {
    let render = |template: &str| {
        let template = Template::Custom(template.to_owned());
        let options = PromptOptions { template, ..PromptOptions::default() };
        resume_prompt(CLASS_NAME, &class_name_cut(), &options)
    };
    assert_eq!(
        render("{LANGUAGE} line {LINE_NUMBER}: {ERROR_TYPE}, {CLOSER}, {SENTINEL}").as_deref(),
        Ok("tsx line 3: OPEN_DOUBLE_QUOTE, `\"` then `>`, // --- VIBECODER_COMPLETE ---")
    );
    let error = render("{LINE}").unwrap_err();
    assert!(error.to_string().starts_with("unknown placeholder `{LINE}` at line 1 column 1"));
}

#[test]
fn t21_a_broken_connection_is_not_a_length_limit() {
    let prompt = |reason| {
        let options = PromptOptions { finish_reason: reason, ..PromptOptions::default() };
        resume_prompt(CLASS_NAME, &class_name_cut(), &options).unwrap()
    };
    let [broken, limit, unknown] =
        [Some(FinishReason::Disconnect), Some(FinishReason::Length), None].map(prompt);
    assert!(broken.contains("connection broke") && !broken.contains("length limit"));
    assert!(limit.contains("length limit") && !limit.contains("connection"));
    assert!(!unknown.contains("length limit") && !unknown.contains("connection"));
}

#[test]
fn t24_a_cut_reply_is_asked_for_with_its_own_kind_and_cause() {
    use crate::{CleanOptions, InspectOptions, Inspection, clean, inspect};
    use salve_types::RawReply;
    let raw = RawReply {
        text: "```tsx\nexport const A = () => (\n  <div className=\"from-zinc-9".to_owned(),
        finish_reason: Some(FinishReason::Disconnect),
        ..RawReply::default()
    };
    let inspection = inspect(clean(&raw, &CleanOptions::default()), &InspectOptions::default());
    let Inspection::Cut(cut) = inspection else { panic!("not seen as cut") };
    let prompt = resume_prompt_for(&cut, &PromptOptions::default()).unwrap();
    assert!(prompt.contains("ERROR TYPE: OPEN_DOUBLE_QUOTE"), "{prompt}");
    assert!(prompt.contains("EXACT CLOSER: `\"` then `>`"), "{prompt}");
    assert!(prompt.contains("connection broke"), "{prompt}");
}
