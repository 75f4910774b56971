// The page: its modules, its keys and the small things that belong to no screen.
//
// In: clicks and keys. Out: dialogs, themes, where to go. Never anything that has an effect on the server: act.js has.

import { byId, isTyping, keep } from './page.js';
import { newSession } from './act.js';
import './gallery.js';
import './screens.js';
import { start } from './stream.js';
import { openOver, reviewKey, startChat } from './chat.js';
import { openPalette, startPalette } from './palette.js';

const root = document.documentElement;
const THEMES = ['system', 'light', 'dark'];

function showChoices() {
  for (const button of document.querySelectorAll('[data-do="theme"]')) button.textContent = `Theme: ${root.dataset.theme}`;
  for (const button of document.querySelectorAll('[data-do="split"]')) button.setAttribute('aria-pressed', String(root.dataset.diff === 'split'));
}

const actions = {
  theme() {
    root.dataset.theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % THEMES.length];
    keep('salve-theme', root.dataset.theme);
    showChoices();
  },
  split() {
    if (root.dataset.diff === 'split') delete root.dataset.diff;
    else root.dataset.diff = 'split';
    keep('salve-diff', root.dataset.diff ?? 'inline');
    showChoices();
  },
  palette: openPalette,
  keys() { if (!byId('keys').open) openOver(byId('keys')); },
  close(button) {
    const dialog = button.closest('dialog');
    if (dialog) return dialog.close();
    Object.assign(button.closest('section'), { hidden: true });
    return byId('message')?.focus();
  },
  attach() { byId('images').click(); },
  'new-session': newSession,
};

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-do]');
  if (button) actions[button.dataset.do]?.(button);
  else if (event.target.matches?.('dialog') && event.target.open) {
    // A click beside a dialog closes it, unless it asks something.
    const box = event.target.getBoundingClientRect();
    const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside && !event.target.classList.contains('question')) event.target.close();
  }
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
});

// Two keys in a row go to a screen.
const GO = { h: '/', c: '/chat', y: '/history', f: '/files', e: '/heal', k: '/knowledge', j: '/jobs', a: '/audit', s: '/settings' };
let went = 0;

document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') { event.preventDefault(); return openPalette(); }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog:modal')) return undefined;
  if (performance.now() - went < 1200 && GO[event.key]) return location.assign(GO[event.key]);
  went = event.key === 'g' ? performance.now() : 0;
  if (event.key === '?') { event.preventDefault(); return actions.keys(); }
  if (event.key === 's') return actions.split();
  if (event.key === 'Escape') { for (const menu of document.querySelectorAll('details.menu[open]')) menu.open = false; }
  if (reviewKey(event)) event.preventDefault();
  return undefined;
});

// How long ago, for the moments that the server wrote in full.
function ago(time) {
  const seconds = Math.max(0, Math.round((Date.now() - Number(time.dataset.at)) / 1000));
  const [count, unit] = seconds < 60 ? [seconds, 's'] : seconds < 3600 ? [Math.floor(seconds / 60), 'm']
    : seconds < 86400 ? [Math.floor(seconds / 3600), 'h'] : [Math.floor(seconds / 86400), 'd'];
  return seconds < 5 ? 'just now' : `${count}${unit} ago`;
}
function showTimes() {
  for (const time of document.querySelectorAll('time[data-at]')) {
    time.title = new Date(Number(time.dataset.at)).toLocaleString();
    const words = ago(time);
    if (time.textContent !== words) time.textContent = words;
  }
}

showChoices();
showTimes();
document.querySelector('.side nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
setInterval(showTimes, 15_000);
document.addEventListener('salve:drawn', () => { showTimes(); showChoices(); });
startPalette();
startChat();
start();
