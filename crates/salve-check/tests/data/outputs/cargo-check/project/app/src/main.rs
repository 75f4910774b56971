mod shapes;
use std::collections::HashMapp;
use missing_crate::Thing;

fn main() {
    let total: u32 = "é".len();
    let count = util::add_one!(1u32);
    let list = Vec::new();
    println!("{}", totl);
    let name = String::from("é"); let other = name; println!("{name}");
    if total == 3 { return 4 }
    assert!(matches!(count, 1))
}
