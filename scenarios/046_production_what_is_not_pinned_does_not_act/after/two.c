/* Another file. */

int two(int count) {
  return count(1);
}
