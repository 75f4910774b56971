// Tasks: which change completes which, and the count.
//
// In: answers with tasks and changes that name them. Out: the rows C-034, C-035, C-037, C-040, C-043. Never counts what a
// model claims.

import { button, file, todos, ask } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { FULL } from '../lib/answers.mjs';

const test = suite('todos');
const asked = { settings: 'auto_apply_files = false\n' };

test('c043_the_count_after_one_apply_and_after_a_reload', { smoke: true }, async (t) => {
  const { page } = await t.chat(asked);
  const turn = await ask(page, FULL);
  await until('0/3', async () => (await panel(page)).includes('0/3'));
  await button(file(turn, 'limit.py'), 'Apply').click();
  await until('1/3', async () => (await panel(page)).includes('1/3'));
  await page.reload();
  await until('1/3 after a reload', async () => (await panel(page)).includes('1/3'));
  same(await todos(page).getByRole('listitem').count(), 3, 'tasks');
});

test('c035_only_the_linked_task_is_marked', {}, async (t) => {
  const { page } = await t.chat(asked);
  const turn = await ask(page, 'third first: make them');
  await button(file(turn, 'three.py'), 'Apply').click();
  await until('1/3', async () => (await panel(page)).includes('1/3'));
  same(await marks(page), [false, false, true], 'which tasks are done');
});

test('c034_a_blocked_change_leaves_its_task_open', {}, async (t) => {
  const { stage, page } = await t.chat(asked);
  const turn = await ask(page, FULL);
  stage.write('limit.py', 'LIMIT = 6\n');
  await button(file(turn, 'limit.py'), 'Apply').click();
  await until('it says why', async () => /stale|changed|not applied|🚫/i.test(await page.getByRole('main').innerText()));
  ensure((await panel(page)).includes('0/3'), await panel(page));
  same(stage.read('limit.py'), 'LIMIT = 6\n', 'limit.py');
});

test('c040_a_place_that_does_not_exist_is_a_warning', {}, async (t) => {
  const { page } = await t.chat({ settings: 'auto_apply_files = true\n' });
  const turn = await ask(page, 'out of range: raise the limit in limit.py');
  ensure((await panel(page)).includes('0/1'), await panel(page));
  ensure(/todoIndex|task 9|index 9|no task/i.test(await turn.innerText()), `a warning in: ${await turn.innerText()}`);
});

test('c041_a_list_that_is_sent_again_keeps_its_marks', {}, async (t) => {
  const { stage, page } = await t.chat(asked);
  const turn = await ask(page, 'third first: make them');
  await button(file(turn, 'three.py'), 'Apply').click();
  await until('1/3', async () => (await panel(page)).includes('1/3'));
  await stage.play([{ reply: { text: JSON.stringify({ summary: 'Reordered.', todos: ['Third task', 'First task', 'Second task'].map((text) => ({ text, completed: false })) }) } }]);
  await ask(page, 'again');
  ensure((await panel(page)).includes('1/3'), await panel(page));
  const done = await todos(page).getByRole('listitem').filter({ hasText: 'Third task' });
  ensure(await isDone(done.first()), 'the third task is still done');
});

// The list with its heading: the count may be on either.
const panel = (page) => todos(page).first().evaluate((list) => {
  const frame = list.closest('section, aside, details, [role="region"], [role="group"]') ?? list.parentElement;
  return `${list.getAttribute('aria-label') ?? ''} ${frame.innerText}`;
});
const isDone = (item) => item.evaluate((node) => {
  const box = node.querySelector('[role="checkbox"], input[type="checkbox"]');
  if (box) return box.checked ?? box.getAttribute('aria-checked') === 'true';
  return /✓|✔|☑|\bdone\b/i.test(node.innerText + node.getAttribute('aria-label'));
});
const marks = async (page) => Promise.all((await todos(page).getByRole('listitem').all()).map(isDone));
