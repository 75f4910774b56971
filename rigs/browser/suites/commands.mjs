// Commands of an answer: one, several, allowed or not.
//
// In: answers with commands, a model that supervises. Out: the rows C-056, C-066 to C-077. Never a command that leaves
// the project.

import { ask, button, conversation, file, lastTurn, over, sameWhenReloaded } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { FULL, LIMIT, RULES, rule } from '../lib/answers.mjs';

const test = suite('commands');
const panel = (page) => page.getByRole('region', { name: /CLI Execution/ });

test('c064_one_command_runs_when_it_is_told_to', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'single command:');
  await button(turn, 'Run').first().click();
  await until('its output', async () => (await conversation(page).innerText()).includes('notes.py'));
  await until('what the model says to it', async () => (await conversation(page).innerText()).includes('I have read the output.'), { seconds: 30 });
});

test('c066_several_commands_have_one_button', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'many commands:');
  await button(turn, 'Run 11 cmds').waitFor();
  ensure(/⏳ Pending/.test(await turn.innerText()), 'pending');
  same(await button(turn, 'Run').count(), 11, 'each has a button of its own');
});

test('c067_c071_they_run_one_after_the_other_under_supervision', { seconds: 120 }, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'many commands:');
  await button(turn, 'Run 11 cmds').click();
  await panel(page).waitFor();
  await until('all ran', async () => (await panel(page).innerText()).includes('11/11'), { seconds: 90 });
  const text = await panel(page).innerText();
  ensure(/🖥️ CLI Execution/u.test(text) && /✓ 11/.test(text) && /✗ 0/.test(text), text);
  await panel(page).getByRole('progressbar').first().waitFor();
  ensure(/100\s*%/.test(text), text);
  await button(panel(page), /✕|close/i).click();
  await until('the panel is closed', async () => !(await panel(page).isVisible()));
  await until('the turn is done', async () => /✓ Done/.test(await turn.innerText()), { seconds: 30 });
  await sameWhenReloaded(page);
});

test('c070_progress_is_told_in_the_documented_words', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'a failing command:');
  await button(turn, 'Run 3 cmds').click();
  await until('the first is told', async () => /Command 1\/3 ✓/.test(await conversation(page).innerText()), { seconds: 40 });
  const text = await conversation(page).innerText();
  ensure(/Progress: ✓ 1 succeeded, ✗ 0 failed/.test(text), text.slice(-800));
  ensure(/Remaining: cat\.\.\., pwd/.test(text), text.slice(-800));
});

test('c072_c077_a_failing_command_is_marked_and_the_model_decides', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'a failing command:');
  await button(turn, 'Run 3 cmds').click();
  await until('all three ran', async () => (await panel(page).innerText()).includes('3/3'), { seconds: 60 });
  const text = await panel(page).innerText();
  ensure(/✓ 2/.test(text) && /✗ 1/.test(text), text);
  ensure(/No such file/.test(text), `the preview of the error in: ${text}`);
});

test('c068_c076_the_model_stops_and_a_person_resumes', {}, async (t) => {
  const rules = [rule('Commands that are left', { action: 'stop', why: 'Look at this first.' }, {}, 1), ...RULES];
  const { page } = await t.chat({ rules });
  const turn = await ask(page, 'a failing command:');
  await button(turn, 'Run 3 cmds').click();
  await until('paused after the first', async () => /\[Paused: Look at this first\.\]/.test(await turn.innerText()), { seconds: 40 });
  ensure(/1\/3/.test(await panel(page).innerText()), await panel(page).innerText());
  await button(turn, 'Run 2 cmds').click();
  await until('the rest ran', async () => (await turn.innerText()).includes('No such file') && /✓ Done/.test(await turn.innerText()), { seconds: 50 });
});

test('c069_a_replacement_is_asked_about_like_any_other', {}, async (t) => {
  const rules = [rule('Commands that are left', { action: 'replace', command: 'rm -rf .', why: 'Cleaner.' }, {}, 1), ...RULES];
  const { stage, page } = await t.chat({ rules });
  const before = stage.tree();
  const turn = await ask(page, 'a failing command:');
  await button(turn, 'Run 3 cmds').click();
  const dialog = page.getByRole('dialog');
  await until('it is asked about or refused', async () => (await dialog.count()) > 0 || /denied|refused|not allowed/i.test(await page.getByRole('main').innerText()), { seconds: 40 });
  if (await dialog.count()) await button(dialog, /Skip|Cancel/).first().click();
  same(stage.tree(), before, 'the tree');
});

test('c056_an_unlisted_command_is_asked_about', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'unlisted:');
  await button(turn, 'Run').first().click();
  const dialog = page.getByRole('dialog');
  await button(dialog, 'Run Once').waitFor();
  ensure((await dialog.innerText()).includes('git push origin main'), 'the dialog shows the whole command');
  await button(dialog, 'Skip').click();
  await until('the dialog is closed', async () => (await dialog.count()) === 0 || !(await dialog.isVisible()));
  ensure(await button(turn, 'Run').count().then((n) => n >= 0), 'the turn is still there');
});

test('c064_a_command_runs_while_the_changes_before_it_wait', {}, async (t) => {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = false\n' });
  const turn = await ask(page, FULL);
  const first = turn.getByRole('list', { name: 'Commands' }).getByRole('listitem').first();
  await button(first, 'Run').click();
  await until('it ran', async () => (await first.getByRole('img', { name: 'succeeded' }).count()) === 1, { seconds: 30 });
  same(stage.read('limit.py'), LIMIT, 'the changes wait on');
  await button(file(turn, 'limit.py'), 'Apply').waitFor();
  await sameWhenReloaded(page);
});

test('c074_a_marked_command_in_the_text_is_found', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'marked:');
  ensure((await turn.innerText()).includes('ls -la'), 'the command is shown');
  await button(turn, 'Run').waitFor();
});

test('c075_what_ran_is_recorded', {}, async (t) => {
  const { stage, page } = await t.chat();
  const turn = await ask(page, 'single command:');
  await button(turn, 'Run').first().click();
  await until('it ran', async () => (await conversation(page).innerText()).includes('README.md'), { seconds: 30 });
  await over(lastTurn(page), 30);
  const { out } = await stage.run(['--format', 'json', 'sessions', 'show', 'last']);
  ensure(/"command":\s*"ls"/.test(out) && /"exit":\s*0/.test(out), `the run in: ${out.slice(-600)}`);
});
