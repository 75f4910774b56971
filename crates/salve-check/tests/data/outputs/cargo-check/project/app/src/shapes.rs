pub struct Square { pub side: u32 }

impl Square {
    pub fn area(&self) -> u32 {
        self.sid * self.side
    }
    pub fn grow(&self) { self.side += 1; }
}
