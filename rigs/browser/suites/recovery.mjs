// Answers that are not whole: what is shown of them and what a person can do.
//
// In: broken JSON, chatter, cuts. Out: the rows C-012, C-014, C-185 to C-189, T-34. Never an applied change of a
// recovered answer.

import { ask, button, over, sameWhenReloaded, send, turns } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { LIMIT_AFTER } from '../lib/answers.mjs';

const test = suite('recovery');
const banner = (scope) => scope.getByRole('alert').filter({ hasText: 'Recovery succeeded!' });

test('c186_the_banner_word_for_word', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'recovered: type hints', 60);
  const text = await banner(turn).innerText();
  for (const words of ['⚠️ AI response had errors - Recovery succeeded!', 'Recovered: 8 todo(s), 1 next step(s), 1 command(s).', 'The content below may be incomplete.']) {
    ensure(text.includes(words), `"${words}" in: ${text}`);
  }
  await button(banner(turn), 'Retry').waitFor();
  await button(banner(turn), 'Continue').waitFor();
  ensure((await turn.innerText()).includes('Added type hints docstring to factorial function...'), 'what was recovered');
});

test('c188_continue_dismisses_it_for_good', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'recovered: type hints', 60);
  await button(banner(turn), 'Continue').click();
  await until('the banner is gone', async () => (await banner(turn).count()) === 0);
  await sameWhenReloaded(page);
  same(await banner(page).count(), 0, 'banners after a reload');
  ensure((await turns(page).last().innerText()).includes('Added type hints docstring'), 'the content stays');
});

test('c187_retry_asks_the_same_request_again', {}, async (t) => {
  const { stage, page } = await t.chat();
  const turn = await ask(page, 'recovered: type hints', 60);
  await stage.play([{ reply: { text: JSON.stringify({ summary: 'Whole this time.' }) } }]);
  await button(banner(turn), 'Retry').click();
  await until('the whole answer', async () => (await turn.innerText()).includes('Whole this time.'), { seconds: 30 });
  same(await banner(turn).count(), 0, 'banners');
  same(await turns(page).count(), 1, 'turns');
});

test('c185_where_nothing_was_recovered_there_is_only_retry', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await send(page, 'nothing: at all');
  await over(turn, 60);
  await button(turn, 'Retry').first().waitFor();
  same(await banner(turn).count(), 0, 'banners');
  same(await button(turn, 'Continue').count(), 0, 'buttons that accept it');
});

test('c189_recovered_commands_and_changes_are_only_shown', {}, async (t) => {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = true\nauto_apply_cli = true\n' });
  const before = stage.tree();
  const turn = await ask(page, 'recovered: type hints', 60);
  ensure((await turn.innerText()).includes('python docs/handoff_test.py'), 'the command is shown');
  same(stage.tree(), before, 'the tree');
  const { out } = await stage.run(['--format', 'json', 'sessions', 'show', 'last']);
  ensure(!/"exit":/.test(out), 'nothing ran');
});

test('t34_a_cut_answer_is_continued_and_applied', { smoke: true }, async (t) => {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = true\n' });
  const turn = await ask(page, 'cut: raise the limit in limit.py', 60);
  ensure(/✓ Done/.test(await turn.innerText()), await turn.innerText());
  same(stage.read('limit.py'), LIMIT_AFTER, 'limit.py');
});

test('c012_a_chatty_answer_is_cleaned', {}, async (t) => {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = true\n' });
  const turn = await ask(page, 'chatty: raise the limit in limit.py', 60);
  same(stage.read('limit.py'), LIMIT_AFTER, 'limit.py');
  ensure(!(await turn.innerText()).includes('Let me know if you need anything else'), 'the chatter is set aside');
});
