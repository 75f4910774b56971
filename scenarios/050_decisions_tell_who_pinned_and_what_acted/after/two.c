int two(int total) {
  return total + 1;
}
