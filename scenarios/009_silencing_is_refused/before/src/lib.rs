#![deny(unused_variables)]

pub fn area(width: u32, height: u32) -> u32 {
    let depth = 3;
    width * height
}
