// axe on every screen: empty and filled, in both themes, and while an answer arrives.
//
// In: axe-core. Out: no violation. Never an exception list.

import { SCREENS, ask, button, openChat, over, send, visit } from '../lib/chat.mjs';
import { NARROW, WIDE, axe } from '../lib/browser.mjs';
import { ensure, suite, until } from '../lib/runner.mjs';
import { CUT_FOR_GOOD, FULL, RULES } from '../lib/answers.mjs';

const test = suite('axe');

async function sweep(page, label) {
  const found = [];
  for (const name of SCREENS) {
    await visit(page, name);
    await page.waitForTimeout(100);
    for (const line of await axe(page)) found.push(`${label} ${name}: ${line}`);
  }
  return found;
}

// Everything that can be seen at once: changes, commands, tasks, a banner, a blocked answer, a failed command.
export async function filled(t, options) {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = false\n' }, options);
  await ask(page, FULL);
  await ask(page, 'recovered: type hints', 60);
  await stage.play(CUT_FOR_GOOD);
  await ask(page, 'make three files', 60);
  await stage.play(RULES);
  await ask(page, 'stale: raise the limit in limit.py', 60);
  const turn = await ask(page, 'one: raise the limit in limit.py');
  await button(turn, 'Apply').first().click();
  await until('applied', async () => /✓ Done/.test(await turn.innerText()));
  await ask(page, 'many commands:');
  return { stage, page };
}

for (const scheme of ['light', 'dark']) {
  test(`axe_every_screen_empty_${scheme}`, { seconds: 90, smoke: scheme === 'dark' }, async (t) => {
    const page = await t.window(await t.stage(), { scheme, viewport: WIDE });
    const found = await sweep(page, `${scheme} empty`);
    ensure(found.length === 0, found.join('\n'));
  });

  test(`axe_every_screen_filled_${scheme}`, { seconds: 150 }, async (t) => {
    const { page } = await filled(t, { scheme });
    const found = await sweep(page, `${scheme} filled`);
    await page.setViewportSize(NARROW);
    found.push(...await sweep(page, `${scheme} filled, narrow`));
    ensure(found.length === 0, found.join('\n'));
  });

  test(`axe_while_an_answer_arrives_${scheme}`, { seconds: 90 }, async (t) => {
    const { page } = await t.chat({}, { scheme });
    const turn = await send(page, 'stream: a long report');
    await until('it streams', async () => (await turn.textContent()).includes('Paragraph 5 of'), { seconds: 30 });
    const found = await axe(page);
    ensure(!/✓ Done/.test(await turn.innerText()), 'it was still arriving');
    ensure(found.length === 0, found.join('\n'));
    await over(turn, 60);
  });

  test(`axe_dialogs_${scheme}`, { seconds: 60 }, async (t) => {
    const { page } = await t.chat({}, { scheme });
    const turn = await ask(page, 'unlisted:');
    await button(turn, 'Run').first().click();
    await page.getByRole('dialog').waitFor();
    const found = await axe(page);
    await page.keyboard.press('Escape');
    await openChat(page);
    await page.locator('main').press('?');
    if (await page.getByRole('dialog').first().isVisible().catch(() => false)) found.push(...await axe(page));
    ensure(found.length === 0, found.join('\n'));
  });
}
