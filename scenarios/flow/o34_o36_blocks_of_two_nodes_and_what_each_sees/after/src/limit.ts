export function limit(n: number): number {
  return Math.min(n, 7);
}
