//! The program as `cargo xtask` starts it.
//!
//! An integration test also makes `cargo test` build the binary, with the features of the tests, so
//! that the steps after the tests find it.
#![expect(clippy::disallowed_methods, reason = "starts the program under test")]

use std::process::Command;

fn rigs(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rigs")).args(arguments).output();
    let output = output.expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn an_unknown_rig_and_an_unknown_flag_are_errors() {
    let (code, said) = rigs(&["no-such"]);
    assert_eq!(
        (code, said.as_str()),
        (Some(2), "no such rig: no-such; `cargo xtask` lists them\n")
    );
    let (code, said) = rigs(&["ambiguity", "--bogus"]);
    assert_eq!((code, said.as_str()), (Some(1), "ambiguity: unknown argument: --bogus\n"));
    let (code, said) = rigs(&["race", "--short"]);
    assert_eq!((code, said.as_str()), (Some(1), "race: race has no short form\n"));
}
