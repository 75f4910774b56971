// The other screens, empty and filled: Home, Heal, Knowledge, Jobs, Settings.
//
// In: a new user, and one who worked a while. Out: empty states that say what to do, and the facts of what happened.
// Never a figure that nothing stands behind.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCREENS, ask, button, navigation, visit } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { FILES, LIMIT } from '../lib/answers.mjs';

const test = suite('screens');
const main = (page) => page.getByRole('main').innerText();

test('screens_empty_ones_say_what_to_do', { smoke: true }, async (t) => {
  const page = await t.window(await t.stage());
  for (const name of SCREENS) {
    await visit(page, name);
    const text = await main(page);
    ensure(text.replace(/\s+/g, ' ').length > 60, `${name} says only: ${text}`);
    ensure(!/\b(undefined|null|NaN|TODO|lorem)\b/.test(text), `${name}: ${text.slice(0, 300)}`);
  }
});

test('screens_home_tells_what_happened', {}, async (t) => {
  const { page } = await t.chat({ settings: 'auto_apply_files = true\n' });
  await ask(page, 'cut: raise the limit in limit.py');
  await ask(page, 'stale: raise the limit in limit.py', 60);
  await visit(page, 'Home');
  const text = await main(page);
  for (const word of [/healed/i, /blocked/i, /rolled back/i, /learned/i, /tokens/i]) ensure(word.test(text), `${word} in: ${text.slice(0, 500)}`);
  ensure((await page.getByRole('main').locator('svg').count()) > 0, 'a plot');
  for (const picture of await page.getByRole('main').locator('svg').all()) {
    const label = await picture.evaluate((node) => node.getAttribute('aria-hidden') === 'true' || Boolean(node.getAttribute('aria-label') || node.getAttribute('aria-labelledby') || node.querySelector('title')));
    ensure(label, 'a picture has a name or is hidden from readers');
  }
});

test('screens_heal_one_is_started_and_told', { seconds: 120 }, async (t) => {
  const files = { ...FILES, Makefile: 'check:\n\t@python3 -m py_compile limit.py\n', 'limit.py': LIMIT.replace('def allowed(count):', 'def allowed(count)') };
  const stage = await t.stage({ files });
  const page = await t.window(stage);
  await visit(page, 'Heal');
  await button(page, /^(Heal|Start|Start a heal|Start heal)/).first().click();
  await until('it is green', async () => /green|healed/i.test(await main(page)), { seconds: 90 });
  same(stage.read('limit.py'), LIMIT, 'limit.py');
});

test('screens_settings_show_their_origin', {}, async (t) => {
  const page = await t.window(await t.stage({ settings: 'auto_apply_files = false\n' }));
  await visit(page, 'Settings');
  const row = page.getByRole('main').getByRole('row').filter({ hasText: 'auto_apply_files' }).first();
  ensure(/config\.toml|user|yours/i.test(await row.innerText()), await row.innerText());
  ensure(/doctor/i.test(await main(page)), 'the doctor is there');
});

test('screens_a_setting_is_changed_in_the_users_file_and_taken_back', {}, async (t) => {
  const { stage, page } = await t.chat({ settings: '# mine\nauto_apply_files = true # for now\n' });
  const config = join(stage.folder, 'home/salve/config.toml');
  const before = readFileSync(config, 'utf8');
  await visit(page, 'Settings');
  const row = page.getByRole('row').filter({ has: page.getByLabel('Value of auto_apply_files') });
  await row.getByRole('combobox').selectOption('false');
  await row.getByRole('button', { name: 'Change' }).click();
  await until('the line is changed', () => readFileSync(config, 'utf8') === before.replace('= true', '= false'));
  await page.getByRole('heading', { name: 'Last change' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await until('it is as it was', () => readFileSync(config, 'utf8') === before);
  await until('nothing is left to undo', async () => (await page.getByRole('heading', { name: 'Last change' }).count()) === 0);
});

test('screens_a_theme_is_chosen_and_kept', {}, async (t) => {
  const page = await t.window(await t.stage());
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await colour();
  await page.emulateMedia({ colorScheme: 'dark' });
  await until('system: dark', async () => (await colour()) !== light);
  const chooser = page.getByRole('button', { name: /theme|dark|light/i }).or(page.getByRole('combobox', { name: /theme/i })).or(page.getByRole('radio', { name: /light/i })).first();
  await chooser.waitFor();
});

test('screens_the_sheet_of_keys_opens_with_a_question_mark', {}, async (t) => {
  const page = await t.window(await t.stage());
  await page.locator('body').press('?');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  ensure(/key/i.test(await dialog.innerText()), await dialog.innerText());
  await page.keyboard.press('Escape');
  await until('closed', async () => !(await dialog.isVisible().catch(() => false)));
});

test('screens_the_command_palette_finds_a_screen', {}, async (t) => {
  const page = await t.window(await t.stage());
  const dialog = page.getByRole('dialog');
  // The key is heard once the page's own modules run.
  await until('the palette', async () => { await page.keyboard.press('Control+k'); return dialog.isVisible(); });
  await page.keyboard.type('knowl');
  await page.keyboard.press('Enter');
  await until('the screen', async () => (await navigation(page).getByRole('link', { name: 'Knowledge', exact: true }).getAttribute('aria-current')) === 'page');
});

test('screens_files_are_completed_after_an_at_sign', {}, async (t) => {
  const { page } = await t.chat();
  const box = page.getByRole('textbox', { name: 'Message', exact: true }).or(page.getByRole('combobox', { name: 'Message', exact: true })).first();
  await box.pressSequentially('look at @lim');
  await page.getByRole('option', { name: /limit\.py/ }).first().waitFor();
  await page.keyboard.press('Enter');
  await until('the path is in the input', async () => (await box.inputValue()).includes('@limit.py'));
});

test('screens_nothing_is_cut_off_at_360_pixels', {}, async (t) => {
  const { page } = await t.chat({ settings: 'auto_apply_files = false\n' }, { viewport: { width: 360, height: 740 } });
  await ask(page, 'one: raise the limit in limit.py');
  for (const name of SCREENS) {
    await navigation(page).getByRole('link', { name, exact: true }).evaluate((link) => link.click());
    await page.getByRole('heading').first().waitFor();
    const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    ensure(wide <= window, `${name} is ${wide} px wide in a window of ${window}`);
  }
});

test('screens_reduced_motion_is_respected', {}, async (t) => {
  const { page } = await t.chat({}, { motion: 'reduce' });
  await ask(page, 'one: raise the limit in limit.py');
  const moving = await page.evaluate(() => document.getAnimations().filter((one) => one.playState === 'running' && one.effect.getComputedTiming().duration > 10).length);
  same(moving, 0, 'animations that run');
});
