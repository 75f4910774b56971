//! What a script may say, and the error when it says something else.

use super::*;

#[test]
fn problems_name_the_line_and_what_would_be_right() {
    let cases = [
        (r#"{"reply":{"txt":"x"}}"#, "unknown field `txt`"),
        (r#"{"when":{"modle":"x"},"reply":{}}"#, "unknown field `modle`"),
        (r#"{"replies":{}}"#, "unknown field `replies`"),
        (r#"{"when":{}}"#, "missing field `reply`"),
        (r#"{"reply":{"tool_calls":[{"arguments":{}}]}}"#, "missing field `name`"),
        (r#"{"reply":{"usage":{"tokens":1}}}"#, "unknown field `tokens`"),
        (r#"{"reply":{"cut_at":{"head":1}}}"#, "`{\"text\": N}`"),
        (r#"{"reply":{"cut_at":-1}}"#, "a place is a number of bytes"),
        (r#"{"reply":{"chunk":0}}"#, "`chunk` is a number of bytes"),
        (r#"{"reply":{"chunk":[]}}"#, "`chunk` is a number of bytes"),
        (r#"{"reply":{"delay_ms":"fast"}}"#, "`delay_ms` is a number"),
        (r#"{"reply":{"garbage":{"hex":"f"}}}"#, "`garbage` is a text"),
        (r#"{"reply":{"chatty":false}}"#, "`chatty` is true"),
        (r#"{"when":{"nth":0},"reply":{}}"#, "`nth` is a number from 1"),
        (r#"{"when":{"dialect":"grpc"},"reply":{}}"#, "unknown variant `grpc`"),
        (r#"{"reply":{"status":500,"text":"x"}}"#, "give one of the two"),
        (r#"{"reply":{"status":42}}"#, "from 200 to 599"),
        (r#"{"reply":{"retry_after":1}}"#, "need a `status`"),
        (r#"{"reply":{"text":"x","cuts":[1]}}"#, "\"continues\": true"),
        (r#"{"reply":{"continues":true,"cuts":[1],"cut_at":1}}"#, "say the same"),
        (r#"{"reply":{"hang_at":1}}"#, "needs `hang_ms`"),
        (r#"{"reply":{"headers":{"a b":"c"}}}"#, "`a b` is no header"),
        (r#"{"reply":{"others":[{"echo":1}]}}"#, "\"continues\": true"),
        ("{\"reply\":", "EOF while parsing"),
        ("[]", "a rule is a JSON object"),
    ];
    for (line, expected) in cases {
        let error = Script::parse(&format!("# a comment\n\n{line}\n")).unwrap_err();
        assert_eq!(error.line, 3, "{line}");
        let text = error.to_string();
        assert!(text.starts_with("line 3 of the script: "), "{text}");
        assert!(text.contains(expected), "{line}: {text}");
    }
}

#[test]
fn every_form_of_a_field_is_read() {
    let line = r#"{"when":{"nth":2,"header":{"A":"b"}},"times":3,"reply":{"text":"x","finish":null,"usage":null,"chunk":[1,2],"delay_ms":5,"cut_at":{"answer":7},"garbage":"g","tool_calls":[{"name":"n","arguments":{"a":1}},{"name":"m","arguments":"{\"cut"}]}}"#;
    let script = Script::parse(&format!("// first\r\n{line}\r\n")).unwrap();
    let rule = &script.rules[0];
    assert_eq!((rule.line, rule.times), (2, Some(3)));
    assert_eq!(rule.when.nth, Some(Nth(vec![2])));
    let reply = &rule.reply;
    assert_eq!((&reply.finish, &reply.usage), (&Finish::Never, &Told::Never));
    assert_eq!(reply.chunk, Chunk(vec![1, 2]));
    assert_eq!(reply.delay_ms, Delay { first: 5, between: 5 });
    assert_eq!(reply.cut_at, Some(CutAt::Answer(7)));
    assert_eq!(reply.garbage, Some(Garbage { bytes: b"g".to_vec(), frame: None }));
    assert_eq!(reply.tool_calls[0].arguments, r#"{"a":1}"#);
    assert_eq!(reply.tool_calls[1].arguments, "{\"cut");
}

#[test]
fn pieces_never_split_a_character_and_lose_nothing() {
    for sizes in [vec![1], vec![2, 1, 5], vec![1000]] {
        let text = "aäß日本🎉z";
        let pieces = Chunk(sizes).pieces(text).concat();
        assert_eq!(pieces, text);
    }
    assert!(Chunk::default().pieces("").is_empty());
}

#[test]
fn hostile_scripts_are_refused_and_not_fatal() {
    let deep = format!("{{\"reply\":{}1{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let wide = format!("{{\"reply\":{{\"{}\":1}}}}", "x".repeat(1 << 20));
    for text in [deep.as_str(), &wide, "\u{0}", "{\"reply\":{\"text\":\"\u{1}\"}}", "nul"] {
        assert!(Script::parse(text).is_err());
    }
    let large = r#"{"reply":{"cut_at":18446744073709551615,"chunk":18446744073709551615}}"#;
    assert!(Script::parse(large).is_ok());
}

const GUIDE: &str = include_str!("../../../../../docs/sim.md");

#[test]
fn every_example_of_the_guide_is_a_script() {
    let blocks: Vec<&str> = GUIDE.split("```jsonl\n").skip(1).collect();
    assert!(blocks.len() >= 3);
    for block in blocks {
        let script = block.split("```").next().unwrap();
        assert!(!Script::parse(script).unwrap().rules.is_empty());
    }
}

#[test]
fn every_field_is_in_the_guide() {
    for line in [r#"{"x":1}"#, r#"{"when":{"x":1},"reply":{}}"#, r#"{"reply":{"x":1}}"#] {
        let problem = Script::parse(line).unwrap_err().message;
        let known = problem.split_once("expected").unwrap().1;
        let fields: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        assert!(fields.len() >= 3);
        for field in fields {
            assert!(GUIDE.contains(&format!("`{field}`")), "`{field}` is not in docs/sim.md");
        }
    }
}
