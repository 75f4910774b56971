// Sending a request: what is posted, what is stored, what is shown first.
//
// In: the scripted model. Out: the rows C-001 to C-004, C-022, C-025, C-028. Never waits for an answer where the row is
// about what comes before it.

import { button, conversation, lastTurn, message, over, send, turns, ask } from '../lib/chat.mjs';
import { Api } from '../lib/api.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';

const test = suite('send');

test('c001_send_clears_the_input_and_posts_text_and_images', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  const posted = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await message(page).fill('one: raise the limit');
  await button(page, 'Send').click();
  const body = (await posted).postDataJSON();
  same(Object.keys(body).sort(), ['images', 'text', 'type'], 'the keys of the body');
  same([body.type, body.text, body.images], ['sendMessage', 'one: raise the limit', []], 'the body');
  same(await message(page).inputValue(), '', 'the input after sending');
});

test('c001_nothing_is_sent_when_nothing_is_written', {}, async (t) => {
  const { page } = await t.chat();
  let posts = 0;
  page.on('request', (request) => { posts += request.method() === 'POST' && request.url().endsWith('/messages') ? 1 : 0; });
  await message(page).fill('   \n ');
  const sender = button(page, 'Send');
  if (await sender.isEnabled()) await sender.click();
  await message(page).press('Enter');
  await page.waitForTimeout(300);
  same(posts, 0, 'requests');
  same(await turns(page).count(), 0, 'turns');
});

test('c002_a_request_is_stored_before_the_model_is_asked', {}, async (t) => {
  const { stage, page } = await t.chat();
  t.expect(page, /ERR_|Failed to (load|fetch)|net::/);
  await send(page, 'hangs: raise the limit in limit.py');
  await stage.kill();
  const { out } = await stage.run(['--format', 'json', 'sessions', 'list']);
  const [session] = JSON.parse(out);
  const shown = await stage.run(['--format', 'json', 'sessions', 'show', session.id]);
  ensure(shown.out.includes('hangs: raise the limit in limit.py'), `the request is not in the store: ${shown.out.slice(0, 400)}`);
});

test('c003_the_bubble_and_a_spinner_come_first', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  const turn = await send(page, 'slow: raise the limit in limit.py');
  ensure((await turn.innerText()).includes('slow: raise the limit in limit.py'), 'the request is shown');
  await until('the turn is marked as busy', async () => (await turn.getAttribute('aria-busy')) === 'true'
    || (await turn.locator('[aria-busy="true"], [role="progressbar"]').count()) > 0);
  await over(turn, 40);
  await until('nothing is busy at the end', async () => (await turn.getAttribute('aria-busy')) !== 'true'
    && (await turn.locator('[aria-busy="true"]').count()) === 0);
});

test('c009_progress_is_told_in_three_steps', {}, async (t) => {
  const { page } = await t.chat();
  await page.evaluate(() => {
    window.told = [];
    new MutationObserver(() => {
      const text = document.body.innerText;
      for (const words of ['🧠 Planning...', '🔍 Searching...', '✅ Loaded 1 files']) {
        if (text.includes(words) && !window.told.includes(words)) window.told.push(words);
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await over(await send(page, 'slow: raise the limit in limit.py'), 40);
  same(await page.evaluate(() => window.told), ['🧠 Planning...', '🔍 Searching...', '✅ Loaded 1 files'], 'what was told');
});

test('c022_guidance_can_be_sent_while_a_turn_runs', {}, async (t) => {
  const { page } = await t.chat();
  await send(page, 'slow: raise the limit in limit.py');
  ensure(await message(page).isEditable(), 'the input can be written into while a turn runs');
  await message(page).fill('one: and be brief');
  await button(page, 'Send').click();
  await until('both requests have a turn', async () => (await conversation(page).innerText()).includes('one: and be brief'), { seconds: 40 });
  await over(lastTurn(page), 60);
});

test('c025_a_failed_turn_offers_retry', {}, async (t) => {
  const { stage, page } = await t.chat();
  const turn = await send(page, 'refused: raise the limit in limit.py');
  await until('the failure', async () => /✗ Failed/.test(await turn.innerText()), { seconds: 45 });
  await stage.play([{ reply: { text: JSON.stringify({ summary: 'Now it works.' }) } }]);
  await button(turn, 'Retry').click();
  await until('the answer of the second try', async () => (await conversation(page).innerText()).includes('Now it works.'), { seconds: 30 });
  same(await turns(page).count(), 1, 'turns after a retry');
});

test('c024_a_turn_can_be_cancelled', {}, async (t) => {
  const { page } = await t.chat();
  const turn = await send(page, 'hangs: raise the limit in limit.py');
  await button(page, /^(Stop|Cancel)$/).first().click();
  await until('the turn is cancelled', async () => /✗ Cancelled/.test(await turn.innerText()));
  await ask(page, 'one: raise the limit in limit.py');
});

test('c028_the_stream_uses_the_documented_names', {}, async (t) => {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = true\n' });
  await ask(page, 'one: raise the limit in limit.py');
  const api = await Api.of(page, stage);
  const names = new Set((await api.log()).map((event) => event.name));
  for (const name of ['newMessagePair', 'updateResponseChunk', 'requestComplete', 'editsApplied']) {
    ensure(names.has(name), `${name} is not among ${[...names].join(', ')}`);
  }
});

test('c004_a_picture_can_be_attached', {}, async (t) => {
  const { page } = await t.chat();
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(page, /attach|image/i).first().click()]);
  const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  await chooser.setFiles({ name: 'pixel.png', mimeType: 'image/png', buffer: pixel });
  await message(page).fill('one: look at this');
  const posted = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/messages'));
  await button(page, 'Send').click();
  same((await posted).postDataJSON().images.length, 1, 'images that were sent');
});
