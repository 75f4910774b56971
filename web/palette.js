// The palette: everything the page can do, found by its words.
//
// In: the links and buttons of the page itself. Out: the chosen one is pressed. Never a command that the page has not.

import { byId, make } from './page.js';
import { openOver } from './chat.js';

let commands = [];
let at = 0;

function gather() {
  const found = [];
  const add = (words, kind, run) => { if (!found.some((one) => one.words === words)) found.push({ words, kind, run }); };
  for (const link of document.querySelectorAll('.side nav a')) add(`Go to ${link.textContent.trim()}`, 'screen', () => link.click());
  const last = [...document.querySelectorAll('.turn:not(.folded)')].at(-1);
  for (const button of last?.querySelectorAll('button') ?? []) {
    const file = button.closest('.file')?.getAttribute('aria-label');
    const words = button.textContent.replace(/[^\p{L}\p{N}\s.,:/&@-]/gu, '').trim();
    if (!button.closest('.hunk')) add(file ? `${words} ${file}` : words, 'last turn', () => { button.focus(); button.click(); });
  }
  for (const button of document.querySelectorAll('.session-head button, .side-tools button, .questions button')) {
    if (button.dataset.do !== 'palette') add(button.firstChild.textContent.trim(), 'page', () => button.click());
  }
  for (const link of document.querySelectorAll('details.menu a')) add(`Session: ${link.textContent.trim()}`, 'session', () => link.click());
  return found;
}

// Every word that is written must be in it; the nearer to its beginning, the better.
function ranked(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const score = (text) => words.reduce((sum, word) => {
    const place = text.toLowerCase().indexOf(word);
    return place < 0 ? Infinity : sum + place;
  }, 0);
  return commands.map((one) => [score(one.words), one]).filter(([points]) => points < Infinity)
    .sort(([left], [right]) => left - right).map(([, one]) => one).slice(0, 40);
}

function show() {
  const [input, list] = [byId('palette-input'), byId('palette-list')];
  const found = ranked(input.value);
  at = Math.min(at, Math.max(found.length - 1, 0));
  list.replaceChildren(...found.map((one, place) => {
    const option = make('li', { role: 'option', id: `command-${place}`, 'aria-selected': String(place === at) }, make('span', {}, one.words), make('span', { class: 'dim' }, one.kind));
    option.addEventListener('click', () => run(one));
    return option;
  }));
  byId('palette-none').hidden = found.length > 0;
  if (found.length) input.setAttribute('aria-activedescendant', `command-${at}`);
  else input.removeAttribute('aria-activedescendant');
  list.children[at]?.scrollIntoView({ block: 'nearest' });
  return found;
}

function run(command) {
  byId('palette').close();
  command.run();
}

export function openPalette() {
  const dialog = byId('palette');
  if (dialog.open) return;
  commands = gather();
  at = 0;
  byId('palette-input').value = '';
  openOver(dialog);
  show();
}

export function startPalette() {
  const input = byId('palette-input');
  input.addEventListener('input', () => { at = 0; show(); });
  input.addEventListener('keydown', (event) => {
    const found = ranked(input.value);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { at = (at + step + found.length) % Math.max(found.length, 1); show(); event.preventDefault(); }
    if (event.key === 'Enter' && found[at]) { event.preventDefault(); run(found[at]); }
  });
}
