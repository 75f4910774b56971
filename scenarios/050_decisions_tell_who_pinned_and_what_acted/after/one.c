int one(int count) {
  return count + 1;
}
