pub fn first(list: &Vec<u32>) -> u32 {
    let unused = 1;
    return list[0].clone();
}
