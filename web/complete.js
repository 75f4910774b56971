// Files and symbols are named after an @.
//
// In: the word at the cursor. Out: a list to choose from, and the chosen one in the input. Never moves the focus out of
// the input.

import { make, session } from './page.js';

export function startCompletion(box, list) {
  let [from, at, asked] = [-1, 0, 0];
  const close = () => { list.hidden = true; from = -1; box.removeAttribute('aria-activedescendant'); };
  const mark = (to) => {
    const options = [...list.children];
    at = (to + options.length) % Math.max(options.length, 1);
    options.forEach((one, place) => one.setAttribute('aria-selected', String(place === at)));
    options[at]?.scrollIntoView({ block: 'nearest' });
    if (options[at]) box.setAttribute('aria-activedescendant', options[at].id);
  };
  const take = (option) => {
    const after = box.value.slice(box.selectionStart);
    const before = `${box.value.slice(0, from)}@${option.dataset.value} `;
    box.value = before + after.replace(/^\S*\s?/, '');
    box.setSelectionRange(before.length, before.length);
    close();
    box.focus();
  };
  const look = async () => {
    const found = /(?:^|\s)@([^\s@]{0,80})$/.exec(box.value.slice(0, box.selectionStart));
    if (!found) return close();
    const mine = asked += 1;
    const query = new URLSearchParams({ q: found[1], session: session() });
    const answer = await fetch(`/complete?${query}`, { credentials: 'same-origin' }).catch(() => null);
    const names = answer?.ok ? await answer.json().catch(() => []) : [];
    if (mine !== asked) return undefined;
    if (names.length === 0) return close();
    from = box.selectionStart - found[1].length - 1;
    list.replaceChildren(...names.map(({ value, kind }, place) => make('li', { role: 'option', id: `completion-${place}`, 'data-value': value }, make('span', {}, value), make('span', { class: 'dim' }, kind))));
    list.hidden = false;
    return mark(0);
  };
  box.addEventListener('input', look);
  box.addEventListener('blur', () => setTimeout(close, 150));
  list.addEventListener('pointerdown', (event) => {
    const option = event.target.closest('[role="option"]');
    if (option) { event.preventDefault(); take(option); }
  });
  // Before the input's own keys: Enter chooses here and sends there.
  box.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) mark(at + step);
    else if (event.key === 'Enter' || event.key === 'Tab') take(list.children[at]);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
}
