// The bar that keeps the summary in view.
//
// In: an answer longer than the window, with five next steps. Out: the rows C-045 to C-051. Never looks the bar up by
// its place: it is the region that holds "See details ↑".

import { ask, button, conversation, lastTurn, message, openChat, visit } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { STEPS } from '../lib/answers.mjs';

const test = suite('summary_bar');
const details = (page) => page.getByRole('button', { name: 'See details' });
const bar = (page) => details(page).locator('xpath=ancestor::*[self::section or self::aside or @role="region" or @role="group"][1]');
const isShown = async (page) => (await details(page).count()) === 1 && (await details(page).isVisible()) && (await inView(details(page)));
const inView = (locator) => locator.evaluate((node) => {
  const box = node.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight && box.width > 0 && getComputedStyle(node).visibility === 'visible';
}, undefined, { timeout: 500 }).catch(() => false);

async function scrollTo(page, where) {
  await page.mouse.move(640, 350);
  await page.mouse.wheel(0, where === 'end' ? 100_000 : -100_000);
}

async function withBar(t) {
  const { stage, page } = await t.chat();
  await ask(page, 'long: a report');
  await scrollTo(page, 'end');
  await until('the bar is shown', () => isShown(page));
  return { stage, page };
}

test('c046_the_bar_is_there_when_the_summary_is_out_of_view', { smoke: true }, async (t) => {
  const { page } = await withBar(t);
  await scrollTo(page, 'begin');
  await until('the bar hides', async () => !(await isShown(page)));
  await scrollTo(page, 'end');
  await until('the bar is shown again', () => isShown(page));
});

test('c045_c047_it_shows_the_summary_three_steps_and_its_buttons', {}, async (t) => {
  const { page } = await withBar(t);
  const text = await bar(page).innerText();
  ensure(/✓/.test(text) && text.includes('A long report that is over'), text);
  ensure(/See details ↑/.test(text), text);
  const steps = await Promise.all(STEPS.map((step) => bar(page).getByRole('button', { name: step, exact: true }).count()));
  same(steps, [1, 1, 1, 0, 0], 'which of five steps are there');
  same(await closer(page).count(), 1, 'the button that closes it');
});

test('c048_a_step_of_the_bar_fills_the_input_and_hides_it', {}, async (t) => {
  const { page } = await withBar(t);
  await bar(page).getByRole('button', { name: STEPS[2], exact: true }).click();
  same(await message(page).inputValue(), `please: ${STEPS[2].toLowerCase()}`, 'the input');
  await until('the bar is hidden', async () => !(await isShown(page)));
  same(await conversation(page).getByRole('article').count(), 1, 'turns');
});

test('c049_see_details_goes_to_the_answer_and_hides_the_bar', {}, async (t) => {
  const { page } = await withBar(t);
  await details(page).click();
  await until('the summary is in view', () => inView(lastTurn(page).getByText('A long report that is over at once.').first()));
  await until('the bar is hidden', async () => !(await isShown(page)));
});

test('c050_closed_it_stays_closed_for_this_answer', {}, async (t) => {
  const { page } = await withBar(t);
  await closer(page).click();
  await until('the bar is hidden', async () => !(await isShown(page)));
  await scrollTo(page, 'begin');
  await page.waitForTimeout(200);
  await scrollTo(page, 'end');
  await page.waitForTimeout(300);
  ensure(!(await isShown(page)), 'closed for this answer');
  await ask(page, 'long: another report');
  await scrollTo(page, 'end');
  await until('the next answer shows it', () => isShown(page));
});

test('c051_a_new_request_or_session_clears_it', {}, async (t) => {
  const { page } = await withBar(t);
  await message(page).fill('hangs: something else');
  await button(page, 'Send').click();
  await until('the bar is gone', async () => !(await isShown(page)));
  await visit(page, 'Home');
  ensure(!(await isShown(page)), 'not on another screen');
  await openChat(page);
});

const closer = (page) => bar(page).getByRole('button', { name: /✕|close|dismiss|hide/i });
