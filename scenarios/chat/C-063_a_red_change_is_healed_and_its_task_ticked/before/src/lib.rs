pub fn largest(numbers: &[u32]) -> u32 {
    numbers.iter().copied().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::largest;

    #[test]
    fn the_largest_is_found() {
        assert_eq!(largest(&[1, 3, 2]), 3);
    }
}
