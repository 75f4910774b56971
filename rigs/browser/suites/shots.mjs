// Pictures of every screen: both themes, wide and narrow, empty and filled.
//
// In: a session with everything in it. Out: PNGs in BROWSER_SHOTS for a person to look at. Never compared by a program:
// what is ugly is for people to say.

import { join } from 'node:path';
import { NARROW, WIDE } from '../lib/browser.mjs';
import { SCREENS, button, ask, openChat, send, over, visit } from '../lib/chat.mjs';
import { ensure, suite, until } from '../lib/runner.mjs';
import { RULES, full, rule } from '../lib/answers.mjs';
import { filled } from './axe.mjs';

const test = suite('shots');
const shoot = (t, page, name) => page.screenshot({ path: join(t.world.shots, `${name}.png`), animations: 'disabled' });

for (const scheme of ['light', 'dark']) {
  test(`shots_filled_${scheme}`, { seconds: 240 }, async (t) => {
    const { page } = await filled(t, { scheme });
    for (const [size, viewport] of [['1280', WIDE], ['390', NARROW]]) {
      await page.setViewportSize(viewport);
      for (const name of SCREENS) {
        await visit(page, name);
        await page.waitForTimeout(150);
        await shoot(t, page, `${name.toLowerCase()}-${scheme}-${size}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        ensure(wide <= 0, `${name} at ${size} is ${wide} px too wide`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 4000 });
    await openChat(page);
    await page.waitForTimeout(200);
    await shoot(t, page, `chat-whole-${scheme}`);
  });

  test(`shots_empty_${scheme}`, { seconds: 120 }, async (t) => {
    const page = await t.window(await t.stage(), { scheme });
    for (const name of SCREENS) {
      await visit(page, name);
      await shoot(t, page, `${name.toLowerCase()}-empty-${scheme}`);
    }
    await page.setViewportSize(NARROW);
    await visit(page, 'Chat');
    await shoot(t, page, `chat-empty-${scheme}-390`);
  });

  test(`shots_moments_${scheme}`, { seconds: 120 }, async (t) => {
    const { page } = await t.chat({ settings: 'auto_apply_files = false\n' }, { scheme });
    const turn = await send(page, 'stream: a long report');
    await until('it streams', async () => (await turn.textContent()).includes('Paragraph 4 of'), { seconds: 30 });
    await shoot(t, page, `streaming-${scheme}`);
    await over(turn, 60);
    const unlisted = await ask(page, 'unlisted:');
    await button(unlisted, 'Run').first().click();
    await page.getByRole('dialog').waitFor();
    await shoot(t, page, `dialog-${scheme}`);
    await page.keyboard.press('Escape');
    const changed = await ask(page, 'one: raise the limit in limit.py');
    await changed.scrollIntoViewIfNeeded();
    const side = button(changed, /side by side/i).first();
    if (await side.count()) await side.click();
    await page.waitForTimeout(150);
    await shoot(t, page, `side-by-side-${scheme}`);
  });
}

// The pictures of docs/: a request as a person writes it, in a project with a name.
for (const scheme of ['light', 'dark']) {
  test(`shots_for_the_docs_${scheme}`, { seconds: 90 }, async (t) => {
    const rules = [rule('Raise the limit', { ...full, sections: full.sections.slice(0, 1), commands: [], nextSteps: full.nextSteps.slice(0, 3) }), ...RULES];
    const { stage, page } = await t.chat({ rules, settings: 'auto_apply_files = false\n' }, { scheme });
    const turn = await ask(page, 'Raise the limit in limit.py to 7, and say so in notes.py');
    await button(turn, 'Apply 2 changes').waitFor();
    await turn.getByRole('heading', { name: 'What changes' }).scrollIntoViewIfNeeded();
    await shoot(t, page, `docs-chat-${scheme}`);
    await page.setViewportSize(NARROW);
    await shoot(t, page, `docs-chat-${scheme}-390`);
    await page.setViewportSize(WIDE);
    await button(turn, 'Apply 2 changes').click();
    await until('it is written', () => stage.read('limit.py').includes('LIMIT = 7'));
    await until('it is done', async () => /✓ Done/.test(await turn.innerText()));
    await visit(page, 'History');
    await shoot(t, page, `docs-history-${scheme}`);
  });
}
