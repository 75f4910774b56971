// The screens beside the chat: their buttons, and the page drawn anew afterwards.
//
// In: buttons that name an address and what is sent there, with the fields beside them. Out: one request each; then the same
// page again, where the reader was. Never draws anything itself.

import { byId, toast } from './page.js';
import { post, told } from './act.js';

const PLACE = 'salve-place';
const WORDS = { nothing_to_do: 'There was nothing to do.', queued: 'It will be done.' };

// Open parts and the scroll are the reader's; they are put back once the page is drawn anew.
function again(words, focus) {
  const open = [...document.querySelectorAll('main details')].map((one) => one.open);
  try {
    sessionStorage.setItem(PLACE, JSON.stringify({ at: location.pathname + location.search, top: byId('main').scrollTop, open, words, focus }));
  } catch { /* a private window keeps nothing */ }
  location.reload();
}

function back() {
  let place = null;
  try {
    place = JSON.parse(sessionStorage.getItem(PLACE) ?? 'null');
    sessionStorage.removeItem(PLACE);
  } catch { /* nothing was kept */ }
  if (!place || place.at !== location.pathname + location.search) return;
  const parts = [...document.querySelectorAll('main details')];
  if (parts.length === place.open.length) parts.forEach((one, at) => { one.open = place.open[at]; });
  byId('main').scrollTop = place.top;
  const same = place.focus && [...document.querySelectorAll('[data-post]')].find((one) => one.dataset.body === place.focus);
  (same || byId('main')).focus({ preventScroll: true });
  if (place.words) toast(place.words);
}

async function send(button) {
  if (button.getAttribute('aria-disabled') === 'true') return;
  button.setAttribute('aria-disabled', 'true');
  try {
    const body = JSON.parse(button.dataset.body);
    for (const field of button.closest('[data-fields]')?.querySelectorAll('[name]') ?? []) body[field.name] = field.value;
    const answer = await post(button.dataset.post, body);
    // The button stays out of use until the page is drawn anew.
    again(WORDS[answer?.outcome] ?? 'Done.', button.dataset.body);
  } catch (error) {
    told(error);
    button.removeAttribute('aria-disabled');
  }
}

// Shows a part of the page that is asked for, and takes it away again.
function show(button) {
  const part = byId(button.dataset.show);
  part.hidden = !part.hidden;
  button.setAttribute('aria-expanded', String(!part.hidden));
  if (!part.hidden) part.querySelector('input, textarea')?.focus();
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-post], [data-go], [data-show]');
  if (button?.dataset.post) send(button);
  else if (button?.dataset.go) location.assign(button.dataset.go);
  else if (button) show(button);
});

// What runs is looked at again, while nobody reads or writes with the keyboard.
const soon = document.querySelector('[data-reload]');
if (soon) {
  setInterval(() => {
    const idle = [document.body, byId('main'), null].includes(document.activeElement);
    if (idle && !document.hidden && getSelection().isCollapsed) again('', null);
  }, Number(soon.dataset.reload) * 1000);
}

back();
