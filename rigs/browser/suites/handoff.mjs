// The offer of a fresh session when the context is nearly full.
//
// In: a model with a small context. Out: the rows C-155, C-156, C-162, C-163. Never counts tokens here: only what the
// person is asked.

import { ask, button, message } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';

const test = suite('handoff');
const small = { settings: 'auto_apply_files = false\n', model: { context: 9000 } };
const dialog = (page) => page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Handoff', exact: true }) });

async function offered(t) {
  const { stage, page } = await t.chat(small);
  for (let at = 0; at < 8 && !(await dialog(page).count()); at += 1) {
    await ask(page, at === 0 ? 'third first: make them' : `long: a report, number ${at}`, 60);
    await page.waitForTimeout(200);
  }
  await dialog(page).waitFor();
  return { stage, page };
}

test('c155_handoff_extend_and_cancel_are_offered', { seconds: 120 }, async (t) => {
  const { page } = await offered(t);
  for (const name of ['Handoff', 'Extend', 'Cancel']) await button(dialog(page), name).waitFor();
});

test('c156_handoff_makes_a_child_with_its_tasks_in_the_input', { seconds: 120 }, async (t) => {
  const { page } = await offered(t);
  const before = page.url();
  await button(dialog(page), 'Handoff').click();
  await until('another session', () => page.url() !== before);
  await message(page).waitFor();
  await until('the open tasks are in the input', async () => (await message(page).inputValue()).includes('First task'));
});

test('c163_cancel_is_not_asked_again_each_turn', { seconds: 120 }, async (t) => {
  const { page } = await offered(t);
  await button(dialog(page), 'Cancel').click();
  await until('the dialog is closed', async () => (await dialog(page).count()) === 0);
  await ask(page, 'one: go on', 60);
  await page.waitForTimeout(300);
  same(await dialog(page).count(), 0, 'dialogs after the next turn');
});

test('c162_extend_goes_on_in_the_same_session', { seconds: 120 }, async (t) => {
  const { page } = await offered(t);
  const before = page.url();
  await button(dialog(page), 'Extend').click();
  await until('the dialog is closed', async () => (await dialog(page).count()) === 0);
  same(page.url(), before, 'the address');
  ensure((await page.getByRole('article').count()) > 1, 'the history is still there');
});
