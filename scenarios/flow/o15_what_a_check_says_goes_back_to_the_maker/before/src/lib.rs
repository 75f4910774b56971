/// Caps a number.
pub fn limit(n: u32) -> u32 {
    n.min(9)
}
