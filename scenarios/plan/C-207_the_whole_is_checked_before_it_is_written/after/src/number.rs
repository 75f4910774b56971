pub fn amount() -> u32 {
    21
}
