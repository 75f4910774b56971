// An answer while it arrives, and the finished one.
//
// In: slow and long answers. Out: the rows C-010, C-017 to C-020, C-174 and the promise that nothing flickers, jumps or
// loses what a person holds. Never measures time: the part `speed` does.

import { button, conversation, file, lastTurn, message, over, sameWhenReloaded, send, ask, todos } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { FULL, STEPS, full } from '../lib/answers.mjs';

const test = suite('stream');

test('c010_parts_of_the_answer_are_shown_before_its_end', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  const turn = await send(page, 'stream: a long report');
  await until('a first part', async () => (await turn.textContent()).includes('Paragraph 1 of'), { seconds: 20 });
  ensure(!/✓ Done/.test(await turn.innerText()), 'the turn is still running');
  await over(turn, 60);
  ensure((await turn.textContent()).includes('Paragraph 60 of'), 'the last paragraph is there at the end');
});

test('c018_the_finished_answer_shows_every_documented_element', { smoke: true }, async (t) => {
  const { page } = await t.chat({ settings: 'auto_apply_files = false\n' });
  const turn = await ask(page, FULL);
  const text = await turn.innerText();
  ensure(text.includes(full.summary), 'the summary');
  for (const { heading } of full.sections) await turn.getByRole('heading', { name: heading, exact: true }).waitFor();
  ensure((await turn.locator('pre code').first().innerText()).includes('LIMIT = 7'), 'the code block');
  ensure((await turn.locator('pre code [class]').count()) > 0, 'the code is highlighted by classes');
  await turn.getByRole('table').first().waitFor();
  for (const path of ['limit.py', 'notes.py']) await button(file(turn, path), 'Apply').waitFor();
  await button(turn, 'Run').first().waitFor();
  for (const step of STEPS) await button(turn, step).waitFor();
  ensure(/What was done/.test(text), '"What was done"');
  ensure(/[\d,]+ tokens/.test(text), 'the tokens');
  ensure(/⏳ Pending/.test(text), 'the status');
  await todos(page).waitFor();
  await sameWhenReloaded(page);
});

test('c019_status_goes_from_pending_to_done', {}, async (t) => {
  const { page } = await t.chat({ settings: 'auto_apply_files = false\n' });
  const turn = await ask(page, 'one: raise the limit in limit.py');
  ensure(/⏳ Pending/.test(await turn.innerText()), 'pending while a change waits');
  await button(file(turn, 'limit.py'), 'Apply').click();
  await until('done', async () => /✓ Done/.test(await turn.innerText()));
});

test('c020_scroll_is_at_the_end_unless_a_person_scrolled_up', {}, async (t) => {
  const { page } = await t.chat();
  await ask(page, 'long: a report');
  await until('the end is in view', async () => atEnd(page));
  const turn = await send(page, 'stream: another report');
  await until('enough to scroll', async () => (await turn.textContent()).includes('Paragraph 12 of'), { seconds: 30 });
  await page.mouse.move(640, 300);
  await page.mouse.wheel(0, -2500);
  await page.waitForTimeout(250);
  const held = await place(page);
  await until('more came', async () => (await turn.textContent()).includes('Paragraph 30 of'), { seconds: 30 });
  const after = await place(page);
  ensure(Math.abs(after - held) < 4, `the scroll was at ${held} and went to ${after}`);
  await over(turn, 60);
  ensure(Math.abs((await place(page)) - held) < 4, 'the end of the turn does not take the scroll either');
});

test('c020_focus_selection_and_open_details_survive_updates', {}, async (t) => {
  const { page } = await t.chat();
  const first = await ask(page, 'long: a report');
  const turn = await send(page, 'stream: another report');
  await until('it streams', async () => (await turn.textContent()).includes('Paragraph 2 of'), { seconds: 30 });
  await message(page).fill('half a thought');
  await message(page).evaluate((box) => box.setSelectionRange(2, 6));
  const details = page.locator('main details');
  if (await details.count()) await details.first().evaluate((one) => { one.open = true; });
  await first.getByText('Paragraph 3 of', { exact: false }).first().evaluate((node) => { node.dataset.kept = 'yes'; });
  await over(turn, 60);
  same(await message(page).inputValue(), 'half a thought', 'what was being written');
  same(await message(page).evaluate((box) => [document.activeElement === box, box.selectionStart, box.selectionEnd]), [true, 2, 6], 'focus and selection');
  if (await details.count()) ensure(await details.first().evaluate((one) => one.open), 'an open detail stays open');
  same(await page.locator('[data-kept]').count(), 1, 'a finished block is not drawn again');
});

test('c020_a_streamed_block_is_drawn_once', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await send(page, 'stream: a long report');
  const third = turn.getByText('Paragraph 3 of', { exact: false }).first();
  await third.waitFor({ timeout: 20_000 });
  await until('it is finished', async () => (await turn.textContent()).includes('Paragraph 5 of'), { seconds: 20 });
  await third.evaluate((node) => { node.dataset.kept = 'yes'; });
  await until('more came', async () => (await turn.textContent()).includes('Paragraph 25 of'), { seconds: 30 });
  same(await page.locator('[data-kept]').count(), 1, 'the same element, 20 paragraphs later');
});

test('c174_markup_in_a_step_is_text', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'secret steps:');
  await button(turn, '<script>window.pwned=1</script><b>bold</b>').waitFor();
  same(await page.evaluate(() => window.pwned), undefined, 'what the step would have done');
  await sameWhenReloaded(page);
});

test('c174_a_step_fills_the_input_and_sends_nothing', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, FULL);
  await button(turn, STEPS[0]).click();
  same(await message(page).inputValue(), `please: ${STEPS[0].toLowerCase()}`, 'the input');
  same(await conversation(page).getByRole('article').count(), 1, 'turns');
  ensure(await message(page).evaluate((box) => document.activeElement === box), 'the input has the focus');
});

test('c175_steps_as_plain_words_still_work', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await ask(page, 'legacy:');
  await button(turn, 'Run the tests').click();
  same(await message(page).inputValue(), 'Run the tests', 'the input');
});

test('t35_healing_is_told_while_it_happens', {}, async (t) => {
  const { page } = await t.chat();
  await page.evaluate(() => {
    window.toasts = [];
    new MutationObserver(() => {
      for (const node of document.querySelectorAll('[role="status"]')) {
        const text = node.innerText.trim();
        if (text && !window.toasts.includes(text)) window.toasts.push(text);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await ask(page, 'cut: raise the limit in limit.py');
  const toasts = await page.evaluate(() => window.toasts);
  ensure(toasts.some((text) => text.includes('Auto-healing code...')), `toasts were ${JSON.stringify(toasts)}`);
  ensure((await lastTurn(page).textContent()).includes('Raises the limit to 7.'), 'the answer is whole');
});

const scroller = () => {
  const inner = document.querySelector('[role="log"]');
  for (let node = inner; node; node = node.parentElement) {
    if (node.scrollHeight > node.clientHeight + 40 && /auto|scroll/.test(getComputedStyle(node).overflowY)) return node;
  }
  return document.scrollingElement;
};
const place = (page) => page.evaluate(`(${scroller})().scrollTop`);
const atEnd = (page) => page.evaluate(`(() => { const s = (${scroller})(); return s.scrollHeight - s.scrollTop - s.clientHeight < 120; })()`);
