// The history of changes: what is listed, compared, taken back and brought forward.
//
// In: changes that were applied. Out: the rows C-115 to C-121, with the tree byte for byte. Never a rewind of what a
// person wrote.

import { ask, button, openChat, visit } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { LIMIT, LIMIT_AFTER } from '../lib/answers.mjs';

const test = suite('history');
const applied = { settings: 'auto_apply_files = true\n' };

async function withTwoChanges(t) {
  const { stage, page } = await t.chat(applied);
  const begin = stage.tree();
  await ask(page, 'one: raise the limit in limit.py');
  await until('limit.py is written', () => stage.read('limit.py') === LIMIT_AFTER);
  const middle = stage.tree();
  await ask(page, 'create: a file');
  await until('fresh.py is written', () => 'fresh.py' in stage.tree());
  await visit(page, 'History');
  return { stage, page, begin, middle };
}

// A question may come before a rewind; its answer is the button with the same word, or a plain agreement.
async function confirm(page) {
  const dialog = page.getByRole('dialog');
  await until('an answer or a question', async () => true);
  await page.waitForTimeout(150);
  if (await dialog.count() && await dialog.first().isVisible()) await button(dialog, /^(Rewind|Rewind files|Restore|Both|Yes|OK|Files)/).first().click();
}

test('c116_the_list_in_the_documented_form', { smoke: true }, async (t) => {
  const { page } = await withTwoChanges(t);
  const text = await page.getByRole('main').innerText();
  ensure(/Change History/.test(text), text);
  ensure(/● Change #2 - 1 file \(\+1 -0\) - \$\d+\.\d\d - (\d+[smh] ago|just now)/.test(oneLine(text)), text);
  ensure(/○ Change #1 - 1 file \(\+2 -2\) - \$\d+\.\d\d - (\d+[smh] ago|just now)/.test(oneLine(text)), text);
  await button(page, 'Rewind').first().waitFor();
});

test('c117_c121_rewind_takes_a_new_file_away', { smoke: true }, async (t) => {
  const { stage, page, middle } = await withTwoChanges(t);
  await button(page, 'Rewind').first().click();
  await confirm(page);
  await until('the tree of before', () => JSON.stringify(stage.tree()) === JSON.stringify(middle));
});

test('c117_rewind_works_after_a_restart', {}, async (t) => {
  const { stage, middle } = await withTwoChanges(t);
  await stage.kill();
  await stage.serve();
  const page = await t.window(stage);
  await visit(page, 'History');
  await button(page, 'Rewind').first().click();
  await confirm(page);
  await until('the tree of before', () => JSON.stringify(stage.tree()) === JSON.stringify(middle));
});

test('c119_two_back_and_forward_again', {}, async (t) => {
  const { stage, page, begin, middle } = await withTwoChanges(t);
  const end = stage.tree();
  for (const wanted of [middle, begin]) {
    await button(page, 'Rewind').first().click();
    await confirm(page);
    await until('one step back', () => JSON.stringify(stage.tree()) === JSON.stringify(wanted));
  }
  for (const wanted of [middle, end]) {
    await button(page, /^(Redo|Undo the rewind|Undo rewind|Forward)/).first().click();
    await until('one step forward', () => JSON.stringify(stage.tree()) === JSON.stringify(wanted));
  }
});

test('c115_what_a_rewind_does_is_shown_before', {}, async (t) => {
  const { page } = await withTwoChanges(t);
  await button(page, /^(Compare|Show|Diff)/).first().click();
  await until('the text of the new file', async () => (await page.getByRole('main').innerText()).includes('FRESH = 1')
    || (await page.getByRole('dialog').first().innerText().catch(() => '')).includes('FRESH = 1'));
});

test('c121_a_removed_file_comes_back', {}, async (t) => {
  const { stage, page } = await t.chat(applied);
  const before = stage.tree();
  const turn = await ask(page, 'remove: notes.py is not needed');
  const group = turn.getByRole('group', { name: 'notes.py', exact: true });
  if (await button(group, 'Apply').count()) await button(group, 'Apply').click();
  await until('notes.py is gone', () => !('notes.py' in stage.tree()));
  await visit(page, 'History');
  await button(page, 'Rewind').first().click();
  await confirm(page);
  await until('the tree of before', () => JSON.stringify(stage.tree()) === JSON.stringify(before));
});

test('c119_a_file_that_a_person_changed_is_left_alone', {}, async (t) => {
  const { stage, page } = await withTwoChanges(t);
  stage.write('fresh.py', 'FRESH = 2  # mine\n');
  await button(page, 'Rewind').first().click();
  await confirm(page);
  await until('it says why', async () => /fresh\.py/.test(await page.locator('body').innerText()) && /changed|conflict|left alone|by hand/i.test(await page.locator('body').innerText()));
  same(stage.read('fresh.py'), 'FRESH = 2  # mine\n', 'fresh.py');
});

test('c117_rewind_of_a_turn_from_the_chat', {}, async (t) => {
  const { stage, page } = await t.chat(applied);
  const before = stage.tree();
  const turn = await ask(page, 'one: raise the limit in limit.py');
  await until('limit.py is written', () => stage.read('limit.py') === LIMIT_AFTER);
  await button(turn, 'Rewind').click();
  await confirm(page);
  await until('the tree of before', () => JSON.stringify(stage.tree()) === JSON.stringify(before));
  same(stage.read('limit.py'), LIMIT, 'limit.py');
  await openChat(page);
});

const oneLine = (text) => text.replace(/\s+/g, ' ');
