// File changes that wait for a person: hunks and files kept or rejected, and what is blocked.
//
// In: a project whose edits are asked about. Out: the rows C-016, C-105 to C-110, C-120, C-190, C-191, each with the
// bytes on disk. Never trusts the page alone.

import { button, file, lastTurn, over, sameWhenReloaded, send, ask } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { CUT_FOR_GOOD, FULL, LIMIT, LIMIT_AFTER, NOTES, NOTES_AFTER } from '../lib/answers.mjs';

const test = suite('review');
const asked = { settings: 'auto_apply_files = false\n' };

test('c016_a_change_waits_with_its_counts_and_is_written_when_applied', { smoke: true }, async (t) => {
  const { stage, page } = await t.chat(asked);
  const turn = await ask(page, FULL);
  same(stage.read('limit.py'), LIMIT, 'limit.py before Apply');
  const group = file(turn, 'limit.py');
  ensure(/\+2\b[\s\S]*[-−]2\b/.test(await group.innerText()), `the counts +2 -2 in: ${await group.innerText()}`);
  await button(group, 'Apply').click();
  await until('limit.py is written', () => stage.read('limit.py') === LIMIT_AFTER);
  same(stage.read('notes.py'), NOTES, 'notes.py waits');
  await button(file(turn, 'notes.py'), 'Apply').click();
  await until('notes.py is written', () => stage.read('notes.py') === NOTES_AFTER);
  await until('the turn tells of it', async () => /2 applied/.test(await turn.innerText()));
  await over(turn);
  await sameWhenReloaded(page);
});

test('c016_a_rejected_file_is_not_written', {}, async (t) => {
  const { stage, page } = await t.chat(asked);
  const turn = await ask(page, FULL);
  await button(file(turn, 'notes.py'), 'Reject').click();
  await until('nothing to apply there', async () => (await button(file(turn, 'notes.py'), 'Apply').count()) === 0);
  await button(file(turn, 'limit.py'), 'Apply').click();
  await until('limit.py is written', () => stage.read('limit.py') === LIMIT_AFTER);
  same(stage.read('notes.py'), NOTES, 'notes.py');
  await until('the turn tells of it', async () => /1 applied/.test(await turn.innerText()));
  await over(turn);
  await sameWhenReloaded(page);
});

test('c016_a_hunk_can_be_kept_and_another_rejected', { smoke: true }, async (t) => {
  const { stage, page } = await t.chat(asked);
  const turn = await ask(page, 'one: raise the limit in limit.py');
  const group = file(turn, 'limit.py');
  await until('two hunks', async () => (await button(group, 'Keep hunk').count()) === 2);
  await button(group, 'Reject hunk').last().click();
  await button(group, 'Keep hunk').first().click();
  await until('the first hunk alone is written', () => stage.read('limit.py') === LIMIT.replace('LIMIT = 5', 'LIMIT = 7'));
});

test('c016_what_was_said_about_hunks_is_kept_by_the_server', {}, async (t) => {
  const { stage, page } = await t.chat(asked);
  const turn = await ask(page, FULL);
  const other = await page.context().newPage();
  await other.goto(page.url());
  const there = file(lastTurn(other), 'limit.py');
  await button(file(turn, 'limit.py'), 'Reject hunk').last().click();
  await until('the other tab shows it', async () => (await there.getByText('Rejected', { exact: true }).count()) === 1);
  await page.reload();
  const again = file(lastTurn(page), 'limit.py');
  same(await button(again, 'Reject hunk').last().getAttribute('aria-pressed'), 'true', 'after a reload');
  await button(again, 'Apply').click();
  await until('the first hunk alone is written', () => stage.read('limit.py') === LIMIT.replace('LIMIT = 5', 'LIMIT = 7'));
  same(stage.read('notes.py'), NOTES, 'notes.py waits');
});

test('c016_a_rejected_file_can_be_taken_up_again', {}, async (t) => {
  const { stage, page } = await t.chat(asked);
  const turn = await ask(page, FULL);
  const notes = file(turn, 'notes.py');
  await button(notes, 'Reject').click();
  await button(notes, 'Undo').click();
  await button(notes, 'Apply').click();
  await until('notes.py is written', () => stage.read('notes.py') === NOTES_AFTER);
  same(stage.read('limit.py'), LIMIT, 'limit.py waits');
});

test('c016_a_diff_is_shown_inline_or_side_by_side', {}, async (t) => {
  const { page } = await t.chat(asked);
  const turn = await ask(page, 'one: raise the limit in limit.py');
  const group = file(turn, 'limit.py');
  const inline = await group.innerText();
  ensure(inline.includes('LIMIT = 5') && inline.includes('LIMIT = 7'), 'both sides are in the inline diff');
  const places = () => group.evaluate((node) => ['LIMIT = 5', 'LIMIT = 7'].map((words) => {
    const inner = [...node.querySelectorAll('.diff *')].filter((one) => one.textContent.includes(words)).at(-1);
    const { left, top } = inner.getBoundingClientRect();
    return { left, top };
  }));
  const [above, below] = await places();
  ensure(below.top - above.top > 5 && Math.abs(below.left - above.left) < 5, `one below the other: ${JSON.stringify([above, below])}`);
  await button(turn, /side by side/i).first().click();
  await until('two columns', async () => { const [old, fresh] = await places(); return fresh.left - old.left > 100 && Math.abs(fresh.top - old.top) < 5; });
});

test('c016_a_path_outside_is_refused', {}, async (t) => {
  const { stage, page } = await t.chat();
  const before = stage.tree();
  const turn = await ask(page, 'outside: write it');
  ensure(/🚫 Blocked/.test(await turn.innerText()), await turn.innerText());
  same(stage.tree(), before, 'the tree');
});

test('c083_a_stale_edit_is_blocked_and_says_why', { smoke: true }, async (t) => {
  const { stage, page } = await t.chat();
  const turn = await ask(page, 'stale: raise the limit in limit.py');
  const text = await turn.innerText();
  ensure(/🚫 Blocked/.test(text) && /hash/i.test(text), text);
  same(stage.read('limit.py'), LIMIT, 'limit.py');
  await button(turn, 'Retry').waitFor();
});

test('c105_c107_a_cut_answer_blocks_every_change', { smoke: true }, async (t) => {
  const { stage, page } = await t.chat({ rules: CUT_FOR_GOOD });
  const before = stage.tree();
  const turn = await send(page, 'make three files');
  const text = await over(turn, 60);
  ensure(/🚫 BLOCKED: \d file change\(s\) from truncated response\./.test(text), text);
  ensure(text.includes('The response was cut off mid-stream. NO changes have been applied.'), text);
  same(stage.tree(), before, 'the tree');
  await sameWhenReloaded(page);
});

test('c109_the_person_can_try_a_cut_answer_again', {}, async (t) => {
  const { stage, page } = await t.chat({ rules: CUT_FOR_GOOD });
  const turn = await send(page, 'make three files');
  await over(turn, 60);
  await stage.play([{ reply: { text: JSON.stringify({ summary: 'Whole this time.' }) } }]);
  await button(turn, 'Retry').first().click();
  await until('the whole answer', async () => (await turn.innerText()).includes('Whole this time.'), { seconds: 30 });
});

test('c190_a_diff_with_merged_lines_is_blocked', {}, async (t) => {
  const { stage, page } = await t.chat();
  const turn = await ask(page, 'merged: type the function in limit.py', 60);
  ensure(/🚫 Blocked/.test(await turn.innerText()), await turn.innerText());
  same(stage.read('limit.py'), LIMIT, 'limit.py');
});

test('c191_a_change_without_effect_is_not_an_error', {}, async (t) => {
  const { stage, page } = await t.chat();
  const turn = await ask(page, 'same: look at limit.py');
  const text = await turn.innerText();
  ensure(/no changes needed/i.test(text), text);
  ensure(/✓ Done/.test(text), text);
  same(stage.read('limit.py'), LIMIT, 'limit.py');
});

test('c042_a_file_is_removed_only_when_a_person_says_so', {}, async (t) => {
  const { stage, page } = await t.chat(asked);
  const turn = await ask(page, 'remove: notes.py is not needed');
  ensure('notes.py' in stage.tree(), 'notes.py is there until it is agreed to');
  await button(file(turn, 'notes.py'), 'Apply').click();
  await until('notes.py is gone', () => !('notes.py' in stage.tree()));
});
