//! Demo.

/// Adds.
///
/// ```
/// assert_eq!(rt::add(1, 1), 3);
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

/// ```
/// let x: u32 = "é";
/// ```
pub fn docs() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 1), 3, "sum of {}", "é");
    }

    #[test]
    fn fine() {}

    #[test]
    #[should_panic(expected = "boom")]
    fn must_panic() {}

    #[test]
    fn returns_error() -> Result<(), String> {
        println!("printed before");
        Err("not ready".to_owned())
    }

    #[test]
    fn unwraps() {
        let none: Option<u32> = None;
        none.expect("a value\nover two lines");
    }
}
