pub fn number() -> u32 {
    21
}
