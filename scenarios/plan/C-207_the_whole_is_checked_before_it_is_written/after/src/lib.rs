mod number;
mod user;

pub use user::twice;
