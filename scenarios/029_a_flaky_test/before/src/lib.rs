pub fn largest(numbers: &[u32]) -> u32 {
    numbers.iter().copied().min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::largest;

    #[test]
    fn the_largest_is_found() {
        assert_eq!(largest(&[1, 3, 2]), 3);
    }

    // Fails, passes, fails, …
    #[test]
    fn every_second_run_fails() {
        let runs = "target/runs";
        let before = std::fs::read_to_string(runs).unwrap_or_default();
        std::fs::write(runs, format!("{before}x")).unwrap();
        assert_eq!(before.len() % 2, 1);
    }
}
