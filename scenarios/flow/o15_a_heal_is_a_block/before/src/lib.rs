/// Caps a number.
pub fn limit(count: u32) -> u32 {
    cuont.min(7)
}
