use crate::number::amount;

pub fn twice() -> u32 {
    amount() * 2
}
