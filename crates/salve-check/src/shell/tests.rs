//! What is inside the subset, what is outside, and why.

use super::*;
use crate::Joiner;
use proptest::prelude::*;

// One line per command: the joiner, the words, the redirections.
fn shown(line: &str) -> String {
    let parsed = parse_command_line(line).unwrap_or_else(|refusal| panic!("{line:?}: {refusal}"));
    let mut text = String::new();
    for pipeline in &parsed.pipelines {
        let mut joint = match pipeline.joiner {
            Joiner::Then => ";",
            Joiner::And => "&&",
            Joiner::Or => "||",
        };
        for command in &pipeline.commands {
            text.push_str(joint);
            for word in &command.words {
                text.push_str(&format!(" <{}>", word.text));
                if let Some(pattern) = &word.pattern {
                    text.push_str(&format!("={pattern}"));
                }
            }
            for redirect in &command.redirects {
                let target = match &redirect.target {
                    WordTarget::Read(word) => format!("< {}", word.text),
                    WordTarget::Write(word) => format!("> {}", word.text),
                    WordTarget::Append(word) => format!(">> {}", word.text),
                    WordTarget::Same(number) => format!(">& {number}"),
                };
                text.push_str(&format!(" [{}{target}]", redirect.descriptor));
            }
            text.push('\n');
            joint = "|";
        }
    }
    text.trim_end().to_owned()
}

#[test]
fn c059_words_and_operators_are_split_as_in_bash() {
    for (line, expected) in [
        ("ls -la", "; <ls> <-la>"),
        ("  git \t status  ", "; <git> <status>"),
        ("ls;", "; <ls>"),
        ("ls&&pwd||echo x;ls|head", "; <ls>\n&& <pwd>\n|| <echo> <x>\n; <ls>\n| <head>"),
        ("echo \"a; rm -rf /\"", "; <echo> <a; rm -rf />"),
        ("echo 'it'\"'\"'s; ok'", "; <echo> <it's; ok>"),
        ("echo a\\;b '' \"\"x", "; <echo> <a;b> <> <x>"),
        ("grep \"\\$(foo)\" a.sh", "; <grep> <$(foo)> <a.sh>"),
        ("grep \"a$|b$\" \"c$\"", "; <grep> <a$|b$> <c$>"),
        ("echo \"a\\tb\\\\ \\\"c\\\" \\'\"", "; <echo> <a\\tb\\ \"c\" \\'>"),
        ("git diff HEAD~1 a#b x=y", "; <git> <diff> <HEAD~1> <a#b> <x=y>"),
        ("find . ! -name x", "; <find> <.> <!> <-name> <x>"),
        ("cargo test 2>&1 | tail", "; <cargo> <test> [2>& 1]\n| <tail>"),
        ("a 2 >b 1>c 2>>d <e", "; <a> <2> [1> b] [1> c] [2>> d] [0< e]"),
        (">x ls a2>y \"2\">z", "; <ls> <a2> <2> [1> x] [1> y] [1> z]"),
        ("ls &>x 0<&1", "; <ls> [1> x] [2>& 1] [0>& 1]"),
        ("ls &>> 'x y'", "; <ls> [1>> x y] [2>& 1]"),
        ("echo oops >&2", "; <echo> <oops> [1>& 2]"),
        ("ls src/*.rs \"*\"* a\\*?", "; <ls> <src/*.rs>=src/*.rs <**>=\\** <a*?>=a\\*?"),
        ("ls [!a]* '[x]'", "; <ls> <[!a]*>=[!a]* <[x]>"),
        ("echo \"✅ done\"", "; <echo> <✅ done>"),
    ] {
        assert_eq!(shown(line), expected, "{line}");
    }
}

#[test]
fn c059_everything_else_is_refused_with_its_rule() {
    for (line, rule, construct) in [
        ("ls $(rm x)", "P2", "expansion"),
        ("echo `id`", "P2", "command substitution"),
        ("echo \"`id`\"", "P2", "command substitution"),
        ("echo $x", "P2", "expansion"),
        ("echo \"$x\"", "P2", "expansion"),
        ("echo $'a'", "P2", "expansion"),
        ("echo $\"a\"", "P2", "expansion"),
        ("echo \"$'a\"", "P2", "expansion"),
        ("cat <(id)", "P2", "process substitution"),
        ("cat >(id)", "P2", "process substitution"),
        ("ls {a,b}", "P2", "brace"),
        ("ls ~", "P2", "tilde"),
        ("ls a=~/x", "P2", "tilde"),
        ("ls >~/x", "P2", "tilde"),
        ("echo !!", "P2", "history expansion"),
        ("echo \"!x\"", "P2", "history expansion"),
        ("ls [a'b']", "P2", "quote in a pattern"),
        ("ls a[", "P2", "pattern"),
        ("ls & rm x", "P1", "background"),
        ("ls |& cat", "P1", "`|&`"),
        ("ls;;ls", "P1", "empty command"),
        ("ls; ;ls", "P1", "empty command"),
        ("; ls", "P1", "empty command"),
        ("ls &&", "P1", "empty command"),
        ("ls |", "P1", "empty command"),
        ("> x", "P1", "empty command"),
        ("ls >", "P1", "redirection"),
        ("ls > > a", "P1", "redirection"),
        ("ls >>& a", "P1", "background"),
        ("(ls)", "P1", "parenthesis"),
        ("((1))", "P1", "arithmetic"),
        ("ls a(b)", "P1", "parenthesis"),
        ("ls() { rm x; }", "P1", "parenthesis"),
        ("ls # x", "P1", "comment"),
        ("! ls", "P1", "reserved word"),
        ("if ls", "P1", "reserved word"),
        ("time ls", "P1", "reserved word"),
        ("ls; while x", "P1", "reserved word"),
        ("echo 'x", "P1", "unclosed quote"),
        ("echo \"x", "P1", "unclosed quote"),
        ("echo x\\", "P1", "unfinished escape"),
        ("cat <<EOF", "P1", "here-document"),
        ("cat <<<x", "P1", "here-string"),
        ("A=b ls", "P3", "assignment"),
        ("A+=b", "P3", "assignment"),
        ("A[0]=b ls", "P3", "assignment"),
        (">x A=b ls", "P3", "assignment"),
        ("'ls'", "P3", "quoted command name"),
        ("l\\s", "P3", "quoted command name"),
        ("../ls", "P3", "path as command"),
        ("a/../ls", "P3", "path as command"),
        ("a//ls", "P3", "path as command"),
        ("a/", "P3", "path as command"),
        ("/bin/ls", "P3", "path as command"),
        ("l?", "P3", "command name"),
        ("[ a ]", "P2", "pattern"),
        ("%1", "P3", "command name"),
        ("-x", "P3", "command name"),
        ("cd x", "P3", "shell builtin"),
        (". ./x", "P3", "shell builtin"),
        ("сat a", "P0", "command name"),
        ("ls\u{a0}-la", "P0", "false blank"),
        ("ls >*", "P5", "redirection target"),
        ("ls >''", "P5", "redirection target"),
        ("ls 3>x", "P5", "descriptor"),
        ("ls 10>x", "P5", "descriptor"),
        ("ls >&x", "P5", "descriptor"),
        ("ls >&-", "P5", "descriptor"),
        ("ls 2>&1x", "P5", "descriptor"),
        ("ls >|x", "P5", "`>|`"),
        ("ls <>x", "P5", "`<>`"),
    ] {
        let refusal = parse_command_line(line).expect_err(line);
        assert_eq!((refusal.rule.name(), refusal.construct), (rule, construct), "{line}");
        assert!(line.get(refusal.span.range()).is_some(), "{line}");
    }
}

#[test]
fn the_65th_command_and_the_2049th_word_are_one_too_many() {
    parse_command_line(&["ls"; 64].join(";")).expect("64 commands");
    let refusal = parse_command_line(&["ls"; 65].join("|")).expect_err("65 commands");
    assert_eq!((refusal.rule.name(), refusal.construct), ("P4", "too many commands"));
    assert_eq!(refusal.span.start, 64 * 3);
    parse_command_line(&"a ".repeat(2048)).expect("2048 words");
    let refusal = parse_command_line(&"a ".repeat(2049)).expect_err("2049 words");
    assert_eq!((refusal.rule.name(), refusal.construct), ("P4", "too many words"));
    assert_eq!(refusal.span.start, 2048 * 2);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let refusal = parse_command_bytes(b"ls \xff x").expect_err("no text");
    assert_eq!((refusal.rule, refusal.span.start), (ShellRule::P0, 3));
    parse_command_bytes(b"ls").expect("text");
}

#[test]
fn hostile_lines_of_16_kib_are_answered() {
    for (unit, is_inside) in [
        ("a ", false),
        ("a", true),
        ("a;a ", false),
        ("a|a ", false),
        ("a|", false),
        ("a>b ", false),
        ("''", true),
        ("\"\\\\\" ", false),
        ("a\\*? ", false),
        ("[a] ", false),
        ("[a]", true),
        ("*a", true),
        ("((", false),
        ("$(", false),
        ("\"$\"", true),
        ("a &&", false),
        ("a ü", false),
        ("a=", true),
        ("!=", true),
        ("+", true),
    ] {
        let line = format!("echo {}", unit.repeat((MAX_LINE_BYTES - 5) / unit.len()));
        assert_eq!(parse_command_line(&line).is_ok(), is_inside, "{unit}");
    }
}

// Pieces that lexers confuse with one another.
fn hostile_line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "ls", "echo", " ", " ", " ", "\t", "'", "'", "\"", "\"", "\\", "$", "`", "&", "&&",
        "||", "|", ";", "<", ">", ">>", "2>&1", "1", "2", "*", "?", "[", "]", "!", "-", "#", "~",
        "=", ":", "{", "(", ")", "é", "/", ".", "\u{a0}",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn an_accepted_line_reads_back_from_its_words(line in hostile_line()) {
        if let Ok(parsed) = parse_command_line(&line) {
            let rendered = render_command_line(&parsed);
            let again = parse_command_line(&rendered);
            let words = |line: &CommandLine| -> Vec<Vec<(String, Option<String>)>> {
                line.commands()
                    .map(|command| command.words.iter().map(|word| (word.text.clone(), word.pattern.clone())).collect())
                    .collect()
            };
            let again = again.unwrap_or_else(|refusal| panic!("{line:?} → {rendered:?}: {refusal}"));
            prop_assert_eq!(words(&parsed), words(&again), "{} → {}", line, rendered);
        }
    }

    #[test]
    fn any_text_is_answered_with_a_place(line in "\\PC{0,40}") {
        match parse_command_line(&line) {
            Ok(parsed) => for command in parsed.commands() {
                prop_assert!(line.get(command.span.range()).is_some());
            },
            Err(refusal) => prop_assert!(line.get(refusal.span.range()).is_some()),
        }
    }
}
