mod gone;
fn main() { let text = "never closed; }
