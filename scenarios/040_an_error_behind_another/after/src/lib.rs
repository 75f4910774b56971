use std::collections::HashMap;
use std::hash::Hash;

pub fn counts<T: Hash + Eq + Copy>(words: &[T]) -> HashMap<T, u32> {
    let mut counted = HashMap::new();
    for word in words {
        *counted.entry(*word).or_insert(0) += 1;
    }
    counted
}

pub fn longest<'a>(words: &[&'a str]) -> &'a str {
    let mut longest = "";
    for word in words {
        if word.len() > longest.len() {
            longest = word;
        }
    }
    longest
}
