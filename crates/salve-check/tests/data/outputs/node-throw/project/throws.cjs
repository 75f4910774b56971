function outer() {
  const value = undefined;
  return value.name;
}
outer();
