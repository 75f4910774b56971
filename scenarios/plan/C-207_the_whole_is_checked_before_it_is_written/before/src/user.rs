use crate::number::number;

pub fn twice() -> u32 {
    number() * 2
}
