// How fast and how small: one table.
//
// In: `cargo xtask browser --speed`. Out: bytes of the first load, tasks and frames while a megabyte arrives, memory of
// page and server, the time to open a long session, many readers of one log. Never part of the short tests: figures
// need a quiet machine.

import { request } from 'node:http';
import { Api } from '../lib/api.mjs';
import { conversation, message, openChat, send, turns, visit } from '../lib/chat.mjs';
import { ensure, suite, until } from '../lib/runner.mjs';
import { answer, RULES, rule } from '../lib/answers.mjs';

const test = suite('speed');
const KB = 1024;

function figure(t, name, value, limit, unit) {
  t.note(`${name} ${Number(value.toFixed(1))} ${unit} (goal ≤ ${limit} ${unit})`);
  return value <= limit ? null : `${name}: ${value.toFixed(1)} ${unit}, the goal is ${limit} ${unit}`;
}
const hold = (...misses) => { const found = misses.filter(Boolean); ensure(found.length === 0, found.join('; ')); };

test('speed_first_load', {}, async (t) => {
  const stage = await t.stage();
  const page = await t.window(stage);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  // As a browser that was never here: what both screens share is loaded once.
  await session.send('Network.clearBrowserCache');
  let bytes = 0;
  session.on('Network.loadingFinished', (event) => { bytes += event.encodedDataLength; });
  session.on('Network.dataReceived', () => {});
  await page.goto(stage.origin + '/');
  await openChat(page);
  await page.waitForTimeout(800);
  hold(figure(t, 'home and chat, transferred', bytes / KB, 60, 'KB'));
});

test('speed_a_megabyte_of_answer', { seconds: 300 }, async (t) => {
  const paragraph = (at) => `Paragraph ${at} has \`code\`, **weight** and enough words to be a line of its own on any screen that is used for work.\n\n`
    + (at % 20 === 0 ? '```rust\nfn main() {\n    println!("a block");\n}\n```\n\n' : '');
  let text = '';
  for (let at = 1; text.length < 1_048_576; at += 1) text += paragraph(at);
  const rules = [rule('megabyte:', answer({ summary: 'Long.', sections: [{ heading: 'Long', content: text }] }), { chunk: 1024, delay_ms: 4 }), ...RULES];
  const { page } = await t.chat({ rules });
  await page.evaluate(() => {
    window.seen = { tasks: [], frames: [], from: performance.now() };
    new PerformanceObserver((list) => { for (const one of list.getEntries()) window.seen.tasks.push(one.duration); }).observe({ type: 'longtask', buffered: false });
    let last = performance.now();
    const frame = (now) => { window.seen.frames.push(now - last); last = now; requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  });
  const turn = await send(page, 'megabyte: please');
  await until('the end of the answer', async () => (await turn.locator('text=/✓ Done|⚠️ Incomplete|🚫 Blocked/').count()) > 0, { seconds: 240, every: 1000 });
  const { tasks, frames } = await page.evaluate(() => window.seen);
  const slow = frames.filter((one) => one > 100).length / frames.length * 100;
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const heap = await page.evaluate(() => performance.memory.usedJSHeapSize / 1048576);
  const { metrics } = await session.send('Performance.enable').then(() => session.send('Performance.getMetrics'));
  t.note(`${frames.length} frames, ${tasks.length} long tasks, ${metrics.find((one) => one.name === 'Nodes').value} nodes`);
  hold(figure(t, 'longest task', Math.max(0, ...tasks), 200, 'ms'), figure(t, 'frames over 100 ms', slow, 5, '%'), figure(t, 'page memory', heap, 150, 'MB'));
});

test('speed_a_session_of_500_turns', { seconds: 600 }, async (t) => {
  const rules = [{ reply: { text: JSON.stringify(answer({ summary: 'A short answer to a short question, with a little `code`.', sections: [{ heading: 'Part', content: 'Two sentences. They are short.' }] })) } }];
  const { stage, page } = await t.chat({ rules });
  await send(page, 'the first');
  const api = await Api.signIn(stage);
  const id = await sessionOf(page, api);
  let last = (await api.log()).at(-1).id;
  for (let at = 1; at < 500; at += 1) {
    const seen = api.events(last, (event) => event.name === 'requestComplete' || event.name === 'turnFailed', { seconds: 30 });
    await api.post(`/api/v1/sessions/${id}/messages`, { type: 'sendMessage', text: `question ${at}`, images: [] });
    last = (await seen).id;
  }
  const address = page.url();
  const fresh = await page.context().newPage();
  const begin = Date.now();
  await fresh.goto(address);
  await until('the last turn', async () => (await conversation(fresh).textContent()).includes('question 499'), { every: 10 });
  await message(fresh).waitFor();
  hold(figure(t, 'a session of 500 turns opens in', Date.now() - begin, 1000, 'ms'));
  t.note(`${await turns(fresh).count()} turns in the page`);
});

test('speed_fifty_readers_of_one_log', { seconds: 180 }, async (t) => {
  const { stage, page } = await t.chat();
  const api = await Api.signIn(stage);
  const readers = Array.from({ length: 50 }, () => reader(stage, api.headers));
  await until('all are connected', () => readers.every((one) => one.status === 200));
  const begin = Date.now();
  await send(page, 'stream: a long report');
  await until('the last event at every reader', () => readers.every((one) => one.text.includes('requestComplete')), { seconds: 90 });
  const log = await api.log();
  for (const one of readers) {
    const ids = [...one.text.matchAll(/^id: ?(\d+)$/gm)].map((found) => Number(found[1]));
    ensure(new Set(ids).size === ids.length, 'no event twice');
    ensure(log.every((event) => ids.includes(event.id)), `a reader misses some of ${log.length} events, it has ${ids.length}`);
  }
  t.note(`50 readers, ${log.length} events each, ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  for (const one of readers) one.call.destroy();
});

test('speed_memory_with_twenty_open_sessions', { seconds: 180 }, async (t) => {
  const { stage, page } = await t.chat();
  const api = await Api.signIn(stage);
  const pages = [];
  for (let at = 0; at < 20; at += 1) {
    const { id } = await api.post('/api/v1/sessions', {});
    await api.post(`/api/v1/sessions/${id}/messages`, { type: 'sendMessage', text: 'long: a report', images: [] });
    // A browser of its own each: one has six connections to a server.
    const context = await (await t.world.browser()).newContext({ storageState: await page.context().storageState() });
    t.contexts.push(Object.assign(context, { watched: { problems: [], events: [], allowed: [] } }));
    const tab = await context.newPage();
    await tab.goto(page.url().replace(/[^/?=]+$/, id));
    pages.push(tab);
  }
  await page.waitForTimeout(4000);
  hold(figure(t, 'server with 20 open sessions', stage.memory(), 150, 'MiB'));
  await visit(page, 'Home');
});

async function sessionOf(page, api) {
  const log = await until('a session', async () => { const found = await api.log(); return found.length && found; });
  return log[0].session;
}

function reader(stage, headers) {
  const one = { status: 0, text: '' };
  one.call = request({ host: '127.0.0.1', port: stage.port, path: '/api/v1/events?after=0', headers, agent: false }, (answer) => {
    one.status = answer.statusCode;
    answer.setEncoding('utf8');
    answer.on('data', (data) => { one.text += data; });
    answer.on('error', () => {});
  });
  one.call.on('error', () => {});
  one.call.end();
  return one;
}
