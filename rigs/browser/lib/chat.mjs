// The chat screen by its roles and names, as the contract of the workbench gives them.
//
// In: a page. Out: its parts, and what a person does there. Never a class, an id or a place in the document.

import { ensure, until } from './runner.mjs';

export const SCREENS = ['Home', 'Chat', 'History', 'Files', 'Heal', 'Knowledge', 'Jobs', 'Audit', 'Settings'];

export const button = (scope, name, more = {}) => scope.getByRole('button', { name, exact: true, ...more });
export const navigation = (page) => page.getByRole('navigation', { name: 'Main', exact: true });
export const message = (page) => page.getByRole('textbox', { name: 'Message', exact: true });
export const conversation = (page) => page.getByRole('log', { name: 'Conversation', exact: true });
export const turns = (page) => conversation(page).getByRole('article');
export const lastTurn = (page) => turns(page).last();
export const todos = (page) => page.getByRole('list', { name: 'TODOs' });
export const file = (scope, path) => scope.getByRole('group', { name: path, exact: true });

/** Goes to a screen by its link. */
export async function visit(page, name) {
  await navigation(page).getByRole('link', { name, exact: true }).click();
  await page.getByRole('main').waitFor();
  await page.getByRole('heading').first().waitFor();
}

/** Sends a request, and waits until its turn is on the page. */
export async function send(page, words) {
  const before = await turns(page).count();
  await message(page).fill(words);
  await button(page, 'Send').click();
  await until('a turn for the request', async () => (await turns(page).count()) > before);
  return turns(page).nth(before);
}

/** What the status bar of a turn says when nothing runs any more. */
export const STATUS = /✓ Done|⏳ Pending|🚫 Blocked|✗ Failed|✗ Cancelled|⚠️ Incomplete/u;

/** Waits until a turn is over. */
export async function over(turn, seconds = 30) {
  return until('the turn is over', async () => {
    const text = await turn.innerText();
    return STATUS.test(text) && text;
  }, { seconds });
}

/** Sends a request and waits for its end. */
export async function ask(page, words, seconds) {
  const turn = await send(page, words);
  await over(turn, seconds);
  return turn;
}

/** Opens the chat in a new window. */
export async function openChat(page) {
  await visit(page, 'Chat');
  await message(page).waitFor();
  await conversation(page).waitFor();
}

/** What the conversation says, without the parts that tell the time. */
export async function said(page) {
  // All of it: what is out of view may not be laid out, and has no inner text then.
  const text = await conversation(page).textContent();
  return text.replace(/\d+\s?(ms|s|m|h|d) ago|just now/g, '').replace(/\s+/g, ' ').trim();
}

/** The page as it came about by updates must be the page that the server draws anew. */
export async function sameWhenReloaded(page) {
  const live = await said(page);
  await page.reload();
  await conversation(page).waitFor();
  const drawn = await until('the conversation is drawn again', async () => (await said(page)) || false);
  ensure(live === drawn, `after a reload the conversation differs:\nlive:  ${excerpt(live, drawn)}\ndrawn: ${excerpt(drawn, live)}`);
}

function excerpt(text, other) {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at += 1;
  return `…${text.slice(Math.max(0, at - 60), at + 120)}…`;
}
