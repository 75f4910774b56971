use std::fmt::Debug;

macro_rules! twice {
    ($value:expr) => {
        $value + $value.len()
    };
}

pub fn run() -> usize {
    let name = String::from("é");
    let other = name;
    println!("{name} {other}");
    let kept: HashMap<u32, u32>;
    twice!(3u32)
}

pub fn show(value: impl Debug) {
    let list = vec![1, 2, 3];
    list.push(4);
    vec![value, 1];
}
