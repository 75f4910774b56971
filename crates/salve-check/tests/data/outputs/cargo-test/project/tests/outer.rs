#[test]
fn outer() {
    panic!("outer broke");
}
