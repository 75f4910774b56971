// Small things that every module needs.
//
// In: nothing. Out: elements by id, new elements, toasts, words for readers. Never HTML from a text.

export const byId = (id) => document.getElementById(id);
export const session = () => document.body.dataset.session ?? '';
export const isTyping = (node) => Boolean(node?.closest?.('input, textarea, select, [contenteditable]'));

/** Makes an element; texts become text. */
export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) node.setAttribute(key, '');
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

const STAY = 6000;

/** Shows a few words for a while. */
export function toast(words, { bad = false, action } = {}) {
  const box = byId('toasts');
  for (const one of box.children) if (one.firstChild?.textContent === words) one.remove();
  const node = make('div', { class: bad ? 'toast bad' : 'toast' }, make('span', {}, words));
  if (action) {
    const button = make('button', { type: 'button', class: 'small' }, action.label);
    button.addEventListener('click', () => { node.remove(); action.run(); });
    node.append(button);
  }
  box.append(node);
  while (box.children.length > 4) box.firstChild.remove();
  setTimeout(() => node.remove(), action ? STAY * 2 : STAY);
}

let spoken = '';
let waiting = null;

/** Tells a reader something; what comes in quick succession is told once, the last of it. */
export function speak(words) {
  spoken = words;
  waiting ??= setTimeout(() => {
    waiting = null;
    byId('spoken').textContent = spoken;
  }, 1500);
}

/** Keeps a choice of this browser. */
export function keep(name, value) {
  try { localStorage.setItem(name, value); } catch { /* a private window keeps nothing */ }
}
