pub fn sum(numbers: &[u32]) -> u32 {
    let mut total = 0;
    for number in numbers {
        total += number;
    }
    total
}
