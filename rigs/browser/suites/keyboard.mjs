// The way from a request to a rewind without a mouse.
//
// In: Tab, Shift+Tab, Enter, Space, Escape and letters. Out: a change sent, reviewed, applied and taken back; the focus is
// always visible and never lost. Never a click.

import { file, lastTurn, message, over, turns, button } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { LIMIT } from '../lib/answers.mjs';

const test = suite('keyboard');

// Presses Tab until the element has the focus; each stop must be visible.
async function tabTo(page, locator, what, most = 150) {
  for (let at = 0; at < most; at += 1) {
    if (await locator.evaluate((node) => node === document.activeElement).catch(() => false)) return;
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const node = document.activeElement;
      if (!node || node === document.body) return null;
      const box = node.getBoundingClientRect();
      const style = getComputedStyle(node);
      const ring = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
      return { name: `${node.tagName} ${node.getAttribute('aria-label') ?? node.innerText?.slice(0, 30) ?? ''}`, seen: box.width > 0 && box.height > 0, ring };
    });
    if (stop) {
      ensure(stop.seen, `the focus is on something that cannot be seen: ${stop.name}`);
      ensure(stop.ring, `the focus cannot be seen on: ${stop.name}`);
    }
  }
  throw new Error(`${what} is not reached by Tab in ${most} steps`);
}

test('keyboard_send_review_apply_rewind', { smoke: true, seconds: 90 }, async (t) => {
  const stage = await t.stage({ settings: 'auto_apply_files = false\n' });
  const page = await t.window(stage);
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Chat', exact: true });
  await tabTo(page, link, 'the link to the chat');
  await page.keyboard.press('Enter');
  await message(page).waitFor();
  await tabTo(page, message(page), 'the input');
  await page.keyboard.type('one: raise the limit in limit.py');
  await page.keyboard.press('Enter');
  await until('a turn', async () => (await turns(page).count()) === 1);
  const turn = lastTurn(page);
  await over(turn, 30);
  const group = file(turn, 'limit.py');
  const keep = button(group, 'Keep hunk').first();
  await tabTo(page, keep, 'Keep hunk');
  await page.keyboard.press('Space');
  const apply = button(group, 'Apply');
  await tabTo(page, apply, 'Apply');
  await page.keyboard.press('Enter');
  await until('limit.py is written', () => stage.read('limit.py') !== LIMIT);
  await until('the focus is not lost', async () => page.evaluate(() => document.activeElement !== document.body));
  const rewind = button(turn, 'Rewind');
  await rewind.waitFor();
  await tabTo(page, rewind, 'Rewind');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(200);
  const dialog = page.getByRole('dialog');
  if (await dialog.count() && await dialog.first().isVisible()) {
    const agree = button(dialog, /^(Rewind|Rewind files|Both|Files|Yes)/).first();
    await tabTo(page, agree, 'the agreement', 20);
    await page.keyboard.press('Enter');
  }
  await until('limit.py is as before', () => stage.read('limit.py') === LIMIT);
});

test('keyboard_enter_sends_and_shift_enter_breaks_the_line', {}, async (t) => {
  const { page } = await t.chat();
  await message(page).focus();
  await page.keyboard.type('one: first line');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second line');
  same(await message(page).inputValue(), 'one: first line\nsecond line', 'the input');
  same(await turns(page).count(), 0, 'turns');
  await page.keyboard.press('Enter');
  await until('a turn', async () => (await turns(page).count()) === 1);
});

test('keyboard_a_dialog_keeps_the_focus_and_gives_it_back', {}, async (t) => {
  const { page } = await t.chat();
  await message(page).fill('unlisted:');
  await message(page).press('Enter');
  await until('a turn', async () => (await turns(page).count()) === 1);
  await over(lastTurn(page));
  const runner = button(lastTurn(page), 'Run').first();
  await runner.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  for (let at = 0; at < 12; at += 1) {
    await page.keyboard.press('Tab');
    ensure(await page.evaluate(() => { const d = document.querySelector('dialog[open], [role="dialog"]'); return d.contains(document.activeElement) || document.activeElement === document.body; }), 'the focus stays in the dialog');
  }
  await page.keyboard.press('Escape');
  await until('closed', async () => !(await dialog.isVisible().catch(() => false)));
  ensure(await page.evaluate(() => document.activeElement !== document.body), 'the focus is given back');
});

test('keyboard_a_link_skips_to_the_content', {}, async (t) => {
  const page = await t.window(await t.stage());
  await page.keyboard.press('Tab');
  const first = await page.evaluate(() => document.activeElement.innerText);
  ensure(/skip|content/i.test(first), `the first stop is ${first}`);
  await page.keyboard.press('Enter');
  ensure(await page.evaluate(() => document.querySelector('main').contains(document.activeElement) || location.hash !== ''), 'it leads to the content');
});
