// Reload, two tabs, and a server that is killed: nothing is lost, and every event is seen once.
//
// In: slow answers. Out: the numbers that the page saw against the log of the server, and the page as it is against the
// page drawn anew. Never a second of silence is taken for an end.

import { button, conversation, file, lastTurn, over, said, sameWhenReloaded, send, turns, ask } from '../lib/chat.mjs';
import { Api } from '../lib/api.mjs';
import { signIn } from '../lib/browser.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { LIMIT_AFTER } from '../lib/answers.mjs';

const test = suite('resume');

// What each load of the page saw, after the place where it began.
function loads(context) {
  const found = new Map();
  for (const event of context.watched.events) {
    if (!found.has(event.load)) found.set(event.load, { address: null, ids: [] });
    const load = found.get(event.load);
    load.address ??= event.opened ?? null;
    if (event.id) load.ids.push(Number(event.id));
  }
  return [...found.values()].filter((load) => load.address);
}

// Each load saw every event of its stream once and in order; the last one up to the end of the log.
async function everyEventOnce(context, api) {
  const log = (await api.log()).map((event) => event.id);
  const all = loads(context);
  ensure(all.some((load) => load.ids.length), 'the page saw events');
  for (const [at, load] of all.entries()) {
    const stream = await api.read(load.address);
    const isLast = at === all.length - 1;
    same(load.ids, isLast ? stream : stream.slice(0, load.ids.length), `load ${at} of ${load.address}`);
    ensure(stream.every((id) => log.includes(id)), 'the stream of a page is part of the log');
    if (isLast) same(stream.at(-1), log.at(-1), 'the last event');
  }
}

test('resume_a_reload_in_the_middle_of_a_stream_loses_nothing', { smoke: true, seconds: 90 }, async (t) => {
  const { stage, page } = await t.chat();
  const turn = await send(page, 'stream: a long report');
  await until('it streams', async () => (await turn.textContent()).includes('Paragraph 10 of'), { seconds: 30 });
  await page.reload();
  await until('what had come is there', async () => (await lastTurn(page).textContent()).includes('Paragraph 10 of'));
  ensure(!(await lastTurn(page).textContent()).includes('Paragraph 60 of'), 'the stream is still running after the reload');
  await over(lastTurn(page), 60);
  const api = await Api.of(page, stage);
  await page.waitForTimeout(500);
  await everyEventOnce(page.context(), api);
  const text = await said(page);
  for (let number = 1; number <= 60; number += 1) same(text.split(`Paragraph ${number} of`).length - 1, 1, `how often paragraph ${number} is there`);
  await sameWhenReloaded(page);
});

test('resume_two_tabs_show_the_same', { smoke: true, seconds: 90 }, async (t) => {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = false\n' });
  await ask(page, 'question: first of all');
  const second = await page.context().newPage();
  await second.goto(page.url());
  await conversation(second).waitFor();
  const turn = await send(page, 'slow: raise the limit in limit.py');
  await until('the other tab follows', async () => (await turns(second).count()) === 2);
  await over(turn, 40);
  await over(lastTurn(second), 20);
  await button(file(lastTurn(second), 'limit.py'), 'Apply').click();
  await until('limit.py is written', () => stage.read('limit.py') === LIMIT_AFTER);
  await until('the first tab knows', async () => /✓ Done/.test(await turn.innerText()));
  await until('both say the same', async () => (await said(page)) === (await said(second)));
});

test('resume_a_change_applied_in_two_tabs_at_once_is_applied_once', {}, async (t) => {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = false\n' });
  await ask(page, 'one: raise the limit in limit.py');
  const second = await page.context().newPage();
  t.expect(page, /409|422|Failed to load resource/);
  await second.goto(page.url());
  const [one, two] = [page, second].map((tab) => button(file(lastTurn(tab), 'limit.py'), 'Apply'));
  await two.waitFor();
  // The slower one may find its button gone.
  await Promise.all([one, two].map((apply) => apply.click({ timeout: 3000 }).catch(() => {})));
  await until('limit.py is written', () => stage.read('limit.py') === LIMIT_AFTER);
  const api = await Api.of(page, stage);
  await until('it is over', async () => /✓ Done/.test(await lastTurn(page).innerText()));
  same((await api.log()).filter((event) => event.name === 'editsApplied').length, 1, 'times it was applied');
});

test('resume_a_killed_server_loses_nothing', { smoke: true, seconds: 120 }, async (t) => {
  const { stage, page } = await t.chat();
  t.expect(page, /ERR_|Failed to (load|fetch)|net::|NetworkError|401|Unauthorized/);
  const turn = await send(page, 'stream: a long report');
  await until('it streams', async () => (await turn.textContent()).includes('Paragraph 8 of'), { seconds: 30 });
  const before = await said(page);
  await stage.kill();
  await page.waitForTimeout(500);
  ensure((await said(page)).includes('Paragraph 8 of'), 'the page keeps what it has while there is no server');
  await stage.serve();
  // The cookie died with the process; the new address signs the same window in.
  const again = await signIn(page.context(), stage);
  await again.goto(page.url());
  await conversation(again).waitFor();
  ensure((await said(again)).includes('Paragraph 8 of') || before, 'what had come is in the store');
  await until('the turn goes on by itself to its end', async () => /✓ Done/.test(await lastTurn(again).innerText()), { seconds: 80, every: 500 });
  const text = await said(again);
  for (let number = 1; number <= 60; number += 1) same(text.split(`Paragraph ${number} of`).length - 1, 1, `how often paragraph ${number} is there`);
  const api = await Api.of(again, stage);
  const log = await api.log();
  const ids = log.map((event) => event.id);
  same(ids, [...new Set(ids)].sort((left, right) => left - right), 'the log');
  same(log.filter((event) => event.name === 'newMessagePair').length, 1, 'requests');
  same(log.filter((event) => event.name === 'requestComplete').length, 1, 'completions');
});

test('resume_a_restart_between_turns_keeps_the_address', {}, async (t) => {
  const { stage, page } = await t.chat();
  t.expect(page, /ERR_|Failed to (load|fetch)|net::|NetworkError|401|Unauthorized/);
  await ask(page, 'one: raise the limit in limit.py');
  const address = page.url();
  await stage.kill();
  await stage.serve();
  const again = await signIn(page.context(), stage);
  await again.goto(address);
  await until('the turn', async () => (await turns(again).count()) === 1);
});
