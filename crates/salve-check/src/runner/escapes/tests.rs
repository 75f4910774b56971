//! What passes and what does not, in any pieces.

use super::*;
use proptest::prelude::*;

fn through(bytes: &[u8], piece: usize) -> (String, String, String) {
    let mut escapes = Escapes::default();
    let mut all = Shown::default();
    for piece in bytes.chunks(piece) {
        let Shown { screen, plain } = escapes.push(piece);
        all.screen.extend(screen);
        all.plain.extend(plain);
    }
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(all.screen), text(all.plain), text(escapes.finish()))
}

#[test]
fn colours_moving_and_erasing_pass_and_are_undone() {
    let table: &[(&str, &str, &str)] = &[
        ("plain\r\n", "plain\n", ""),
        ("10%\r100%\r\n", "10%\r100%\n", ""),
        ("\x1b[31;1mred\x1b[0m", "red", "\x1b[0m"),
        ("\x1b[38;2;1;2;3mred\x1b[38:5:9m", "red", "\x1b[0m"),
        ("a\x1b[2Jb\x1b[K\x1b[10;20Hc\x1b[3A\x1b[1G", "abc", ""),
        ("\x1b7\x1b8\x1bMx", "x", ""),
        ("\x1b[?1049h\x1b[?25lscreen\x1b[?25h", "screen", "\x1b[?1049l"),
        ("\x1b[?25l\x1b[?7l", "", "\x1b[?25h\x1b[?7h"),
        ("\x1b[?1;2004h", "", "\x1b[?2004l\x1b[?1l"),
        ("\x1b[5;10rx", "x", "\x1b7\x1b[r\x1b8"),
        ("\x1b(0qqq\x1b(B", "qqq", "\x1b(B\x0f"),
        ("\x1b=\x1b[4h\x1b[2 q", "", "\x1b>\x1b[0 q\x1b[4l"),
        ("caf\u{e9} \u{1f980}", "caf\u{e9} \u{1f980}", ""),
        ("a\x08b\x07", "ab", ""),
    ];
    for (bytes, plain, back) in table {
        for piece in [1, 2, 3, 1000] {
            let (screen, text, undone) = through(bytes.as_bytes(), piece);
            assert_eq!(screen, *bytes, "{bytes:?}");
            assert_eq!((text.as_str(), undone.as_str()), (*plain, *back), "{bytes:?}");
        }
    }
}

#[test]
fn what_reaches_past_the_screen_or_is_answered_is_left_out() {
    let table: &[(&[u8], &str)] = &[
        // The clipboard, the title, a link, a colour that is asked for.
        (b"a\x1b]52;c;ZXZpbA==\x07b", "ab"),
        (b"a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"),
        (b"a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "ablink"),
        (b"a\x1b]10;?\x07b", "ab"),
        // Strings for the terminal: device control, privacy, application, start of string.
        (b"a\x1bP$qm\x1b\\b\x1b^p\x1b\\c\x1b_Gi=1\x1b\\d\x1bXs\x1b\\e", "abcde"),
        (b"a\x1b]0;never ended\nb", "a\nb"),
        (b"a\x1b]0;cancelled\x18b", "ab"),
        // Questions that the terminal answers: where, what, which version, size, mode, name.
        (b"a\x1b[6n\x1b[5n\x1b[?6n\x1b[c\x1b[>c\x1b[=c\x1b[0c\x1bZ\x05b", "ab"),
        (b"a\x1b[>q\x1b[18t\x1b[21t\x1b[?2026$p\x1b[x\x1b[?u\x1b[>4;1m\x1b[>1ub", "ab"),
        // The mouse, the focus, the printer, resizing, a reset, what has scrolled away.
        (b"a\x1b[?1000h\x1b[?1003;1006h\x1b[?1004h\x1b[5i\x1b[8;9;9t\x1bc\x1b[!p\x1b[3Jb", "ab"),
        (b"a\x1b[?1;1000hb\x1b[1;2;3;4;5Tc", "abc"),
        // Numbers that are no places, sequences without an end, broken ones.
        (b"a\x1b[99999999bb", "ab"),
        (b"a\x1b[3\nb\x1b[\x1b[mc", "a\nb\x1b[mc"),
        (b"a\x1b", "a"),
        // The second block of control characters, by their bytes and as characters.
        (b"a\x9b6nb\xc2\x9b6nc\xc2\x9d52;c;x\x07", "a\u{fffd}6nb6nc52;c;x\x07"),
        (b"\xff\xc3(\x00\x7f", "\u{fffd}("),
    ];
    for (bytes, expected) in table {
        for piece in [1, 2, 5, 1000] {
            let (screen, ..) = through(bytes, piece);
            assert_eq!(
                screen,
                *expected,
                "{:?} in pieces of {piece}",
                bytes.escape_ascii().to_string()
            );
        }
    }
}

#[test]
fn a_sequence_that_is_too_long_is_left_out_whole() {
    let long = format!("a\x1b[{}mb", "1;".repeat(500));
    assert_eq!(through(long.as_bytes(), 7).0, "ab");
}

proptest! {
    #[test]
    fn no_bytes_bring_another_sequence_through(bytes in proptest::collection::vec(
        prop_oneof![
            any::<u8>(),
            Just(0x1b),
            prop::sample::select(b"[]PX^_()?>=!$;:0123456789mnchltqpr \n\r\x07\\".to_vec()),
        ],
        0..300,
    ), piece in 1_usize..20) {
        let (screen, plain, _) = through(&bytes, piece);
        prop_assert_eq!(&through(&bytes, 1000).0, &screen);
        prop_assert!(plain.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t')));
        // What passed passes again, unchanged.
        prop_assert_eq!(&through(screen.as_bytes(), 1000).0, &screen);
        for after in screen.split('\x1b').skip(1) {
            let first = after.chars().next();
            prop_assert!(matches!(first, Some('[' | '(' | ')' | '7' | '8' | 'D' | 'E' | 'M' | '=' | '>')));
        }
    }
}
