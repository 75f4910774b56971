// What a person does goes to the server, and only there it happens.
//
// In: buttons that say what they do. Out: one request each, while the button waits. Never changes the page itself: the
// stream brings what became of it.

import { byId, session, toast } from './page.js';
import { followSession } from './stream.js';

/** Sends JSON and returns the answer; an error is told in the words of the server. */
export async function post(path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method: 'POST', credentials: 'same-origin',
      headers: { 'content-type': 'application/json', 'x-salve': '1' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error('Salve cannot be reached. Is it still running?');
  }
  const text = await answer.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* no JSON: the status says it */ }
  if (!answer.ok) {
    const said = value?.error?.message ?? value?.error ?? value?.message;
    const signedOut = answer.status === 401 ? 'This window is not signed in any more. Open the address that Salve prints.' : null;
    throw new Error(signedOut ?? (typeof said === 'string' ? said : `Salve answered ${answer.status}.`));
  }
  return value;
}

/** Does something in the session of the page. */
export const act = (action) => post(`/api/v1/sessions/${encodeURIComponent(session())}/actions`, action);

/** Does what a button says. */
export async function press(button) {
  if (button.getAttribute('aria-disabled') === 'true') return;
  button.setAttribute('aria-disabled', 'true');
  try {
    const action = JSON.parse(button.dataset.act);
    const answer = await act(action);
    const dialog = button.closest('dialog');
    if (dialog?.open) dialog.close();
    const next = answer?.detail?.session;
    if (next && next !== session()) location.assign(`/chat/${next}`);
    if (action.type === 'rewind') {
      toast('Rewound to before this turn.', { action: { label: 'Undo', run: () => act({ type: 'undoRewind' }).catch(told) } });
    }
  } catch (error) {
    told(error);
  } finally {
    button.removeAttribute('aria-disabled');
  }
}

export const told = (error) => toast(error.message, { bad: true });

/** Begins a session and goes there. */
export async function newSession() {
  try {
    const { id } = await post('/api/v1/sessions', {});
    location.assign(`/chat/${id}`);
  } catch (error) {
    told(error);
  }
}

let begun = null;

/** Begins the session of a page that has none, once, and keeps its address: a reload and a second tab are in it, too. */
export function readySession() {
  if (session()) return Promise.resolve();
  begun ??= post('/api/v1/sessions', {}).then(({ id }) => {
    document.body.dataset.session = id;
    history.replaceState(null, '', `/chat/${id}`);
    followSession();
  }).catch((error) => { begun = null; throw error; });
  return begun;
}

/** Sends a request of the person. */
export async function say(text, images) {
  await readySession();
  return post(`/api/v1/sessions/${encodeURIComponent(session())}/messages`, { type: 'sendMessage', text, images });
}

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-act]');
  if (button) press(button);
});

byId('toasts')?.addEventListener('keydown', (event) => { if (event.key === 'Escape') event.currentTarget.replaceChildren(); });
