// What other programs rely on: landmarks, names, the first line, the routes.
//
// In: a stage. Out: each point of the contract by itself. Never looks at how it is drawn.

import { SCREENS, button, conversation, message, navigation, openChat, send, over, turns, visit } from '../lib/chat.mjs';
import { Api } from '../lib/api.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { FULL } from '../lib/answers.mjs';

const test = suite('contract');

test('contract_the_first_line_is_the_address_with_a_token', { smoke: true }, async (t) => {
  const stage = await t.stage({ serve: false });
  const child = stage.start(['serve', '--no-open']);
  const line = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data).split('\n')[0])));
  child.kill('SIGKILL');
  const found = /^Salve is at http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]+)$/.exec(line);
  ensure(found, `the first line is ${line}`);
  ensure(found[2].length >= 43, `the token has ${found[2].length} characters, 256 bits need 43`);
});

test('contract_serve_check_answers_one_turn_and_ends', {}, async (t) => {
  const stage = await t.stage({ serve: false });
  const { code, err } = await stage.run(['serve', '--check']);
  ensure(code === 0, `serve --check ended with ${code}: ${err}`);
});

test('contract_every_screen_has_its_link_main_and_a_heading', { smoke: true }, async (t) => {
  const page = await t.window(await t.stage());
  same(await navigation(page).getByRole('link').allInnerTexts().then((all) => all.map((text) => text.trim())), SCREENS, 'links');
  for (const name of SCREENS) {
    await visit(page, name);
    await page.getByRole('main').getByRole('heading').first().waitFor();
    const current = navigation(page).getByRole('link', { name, exact: true });
    same(await current.getAttribute('aria-current'), 'page', `${name}: aria-current`);
    ensure((await page.title()).includes(name), `${name}: the title is ${await page.title()}`);
  }
});

test('contract_chat_has_its_parts_and_keeps_its_address', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  for (const part of [message(page), button(page, 'Send'), conversation(page)]) await part.waitFor();
  await over(await send(page, FULL));
  const address = page.url();
  await page.reload();
  await until('the turn after a reload', async () => (await turns(page).count()) === 1);
  const second = await page.context().newPage();
  await second.goto(address);
  await until('the turn in a second tab', async () => (await turns(second).count()) === 1);
  await second.goto(new URL('/', address).href);
  await openChat(second);
  await until('chat opens the session used last', async () => (await turns(second).count()) === 1);
});

test('contract_the_api_by_http', { smoke: true }, async (t) => {
  const stage = await t.stage();
  const api = await Api.signIn(stage);
  const made = await api.post('/api/v1/sessions', {});
  ensure(typeof made.id === 'string' && made.id, `POST sessions answered ${JSON.stringify(made)}`);
  await api.post(`/api/v1/sessions/${made.id}/messages`, { type: 'sendMessage', text: 'one: raise the limit in limit.py', images: [] });
  const names = [];
  await api.events(0, (event) => { names.push(event.name); return event.name === 'requestComplete'; });
  same(names[0], 'newMessagePair', 'the first event');
  for (const name of ['planning', 'searching', 'filesLoaded', 'updateResponseChunk', 'requestComplete']) {
    ensure(names.includes(name), `${name} is missing among ${names.join(', ')}`);
  }
  const document = await api.get('/api/v1/openapi.json');
  ensure(document.openapi?.startsWith('3.'), 'the document is OpenAPI 3');
  for (const path of ['/api/v1/sessions', '/api/v1/sessions/{id}/messages', '/api/v1/sessions/{id}/actions', '/api/v1/events', '/api/v1/reports']) {
    ensure(document.paths[path], `${path} is not in the document: ${Object.keys(document.paths).join(', ')}`);
  }
  const report = await api.post('/api/v1/reports', { from: 'a test', kind: 'error', text: 'price.py:3: SyntaxError: invalid syntax', auto_fix: false });
  ensure(report, 'a report is answered');
});

test('contract_it_works_without_a_model_and_says_so', {}, async (t) => {
  const { page } = await t.chat({ model: null });
  const turn = await send(page, 'add a discount to price.py');
  await over(turn);
  ensure(/practice/i.test(await page.getByRole('main').innerText()), 'the practice model is labelled as such');
});
