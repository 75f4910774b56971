// The theme and the way diffs are shown, before the first paint. A classic script, so that nothing flashes.
(() => {
  const read = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
  const theme = read('salve-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (read('salve-diff') === 'split') document.documentElement.dataset.diff = 'split';
})();
