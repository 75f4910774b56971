#[macro_export]
macro_rules! add_one {
    ($value:expr) => {
        $value + "one"
    };
}

pub fn naïve(é: u32) -> u32 { let straße = 1; é }
