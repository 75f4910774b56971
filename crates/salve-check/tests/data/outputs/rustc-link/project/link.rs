extern "C" { fn nowhere(); }
fn main() { unsafe { nowhere() } }
