pub fn add(a: u32) -> u32 { a }

#[test]
fn adds() {
    assert_eq!(super::add(1), "1");
}
