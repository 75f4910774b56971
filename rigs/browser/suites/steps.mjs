// Tasks of many steps, and questions between them.
//
// In: plans of three steps. Out: the rows C-021, C-171 to C-173, C-176 to C-178. Never sends a step by itself.

import { ask, button, message, todos, turns } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { CUT_FOR_GOOD } from '../lib/answers.mjs';

const test = suite('steps');
const applied = { settings: 'auto_apply_files = true\n' };

test('c172_the_step_continue_is_added_where_it_is_missing', {}, async (t) => {
  const { page } = await t.chat(applied);
  const turn = await ask(page, 'three steps: 1. add the model 2. add the route 3. add the docs');
  await button(turn, 'Continue to next step').click();
  same(await message(page).inputValue(), 'continue', 'the input');
});

test('c173_continue_does_the_next_step', {}, async (t) => {
  const { stage, page } = await t.chat(applied);
  await ask(page, 'three steps: 1. add the model 2. add the route 3. add the docs');
  await until('the first is done', async () => (await main(page)).includes('1/3'));
  await stage.play([{ reply: { text: JSON.stringify({ summary: 'The second.', todos: ['Add the model', 'Add the route', 'Add the docs'].map((text) => ({ text, completed: false })), fileChanges: [{ path: 'route.py', content: 'ROUTE = 1\n', todoIndex: 1 }] }) } }]);
  await ask(page, 'continue');
  await until('two are done', async () => (await main(page)).includes('2/3'));
  same(await todos(page).getByRole('listitem').count(), 3, 'tasks');
});

test('c177_a_question_is_shown_and_nothing_is_marked', {}, async (t) => {
  const { stage, page } = await t.chat(applied);
  const before = stage.tree();
  const turn = await ask(page, 'question: which limit');
  ensure((await turn.innerText()).includes('Which limit do you mean'), 'the question');
  same(stage.tree(), before, 'the tree');
  ensure(await message(page).isEditable(), 'the person can answer');
});

test('c178_a_cut_answer_is_warned_about', {}, async (t) => {
  const { page } = await t.chat({ rules: CUT_FOR_GOOD });
  const turn = await ask(page, 'make three files', 60);
  ensure(/truncated/i.test(await turn.innerText()), await turn.innerText());
  same(await turns(page).count(), 1, 'turns');
});

const main = (page) => page.getByRole('main').innerText();
