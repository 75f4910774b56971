#[test]
fn dies() {
    std::process::abort();
}
