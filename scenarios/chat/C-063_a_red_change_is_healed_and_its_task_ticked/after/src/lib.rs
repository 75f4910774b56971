pub fn largest(numbers: &[u32]) -> u32 {
    numbers.iter().copied().max().unwrap_or(0)
}

pub fn smallest(numbers: &[u32]) -> u32 {
    numbers.iter().copied().min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{largest, smallest};

    #[test]
    fn the_largest_is_found() {
        assert_eq!(largest(&[1, 3, 2]), 3);
    }

    #[test]
    fn the_smallest_is_found() {
        assert_eq!(smallest(&[1, 3, 2]), 1);
    }
}
