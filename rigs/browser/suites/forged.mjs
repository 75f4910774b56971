// Requests that a stranger's page or program could send to a running workbench.
//
// In: plain HTTP against the process, each with one thing wrong. Out: all refused, and nothing happened. Never a request
// that would be right: the last test proves that the same ones pass when nothing is wrong.

import { connect } from 'node:net';
import { Api, exchange } from '../lib/api.mjs';
import { ensure, same, suite } from '../lib/runner.mjs';

const test = suite('forged');
const MESSAGE = { type: 'sendMessage', text: 'forged', images: [] };

/** Every forged request: a name, and how it is made from right ones. */
function forged(stage, session, token, cookie) {
  const port = stage.port;
  const host = `127.0.0.1:${port}`;
  const bearer = { authorization: `Bearer ${token}` };
  const json = { 'content-type': 'application/json' };
  const ours = { 'x-salve': '1' };
  const right = { ...bearer, ...json, ...ours };
  const browser = { cookie, ...json, ...ours, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  const body = JSON.stringify({});
  const said = JSON.stringify(MESSAGE);
  const make = (headers, more = {}) => ({ method: 'POST', path: '/api/v1/sessions', payload: body, headers, ...more });
  const tell = (headers, more = {}) => ({ method: 'POST', path: `/api/v1/sessions/${session}/messages`, payload: said, headers, ...more });
  const read = (headers, path = '/api/v1/events?after=0') => ({ method: 'GET', path, headers });
  const without = (headers, ...names) => Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
  const wrongHosts = ['evil.test', `evil.test:${port}`, `localhost.evil.test:${port}`, `127.0.0.1.evil.test:${port}`, `127.0.0.1:${port + 1}`, '127.0.0.1',
    `0.0.0.0:${port}`, `[::1]:${port}`, `127.1:${port}`, `2130706433:${port}`, `user@127.0.0.1:${port}`, `127.0.0.1:${port}.evil.test`];
  const wrongOrigins = ['null', 'http://evil.test', `http://evil.test:${port}`, `https://${host}`, `http://127.0.0.1:${port + 1}`, 'http://127.0.0.1',
    `http://${host}.evil.test`, `http://${host}/`, `http://user@${host}`, 'file://', 'chrome-extension://abcdefgh', `HTTP://${host}x`];
  return [
    ...wrongHosts.map((value) => [`host ${value}`, make({ ...right, host: value })]),
    ...wrongHosts.slice(0, 3).map((value) => [`read with host ${value}`, read({ ...bearer, host: value })]),
    ...wrongHosts.slice(0, 2).map((value) => [`page with host ${value}`, read({ cookie, host: value }, '/')]),
    ...wrongOrigins.map((value) => [`origin ${value}`, make({ ...browser, origin: value })]),
    ...wrongOrigins.slice(0, 3).map((value) => [`program with origin ${value}`, make({ ...right, origin: value })]),
    ...['cross-site', 'same-site'].map((value) => [`sec-fetch-site ${value}`, make({ ...browser, 'sec-fetch-site': value })]),
    ['no token', make({ ...json, ...ours })],
    ['empty bearer', make({ ...json, ...ours, authorization: 'Bearer ' })],
    ['wrong bearer', make({ ...right, authorization: `Bearer ${'A'.repeat(43)}` })],
    ['token one character short', make({ ...right, authorization: `Bearer ${token.slice(0, -1)}` })],
    ['token with a tail', make({ ...right, authorization: `Bearer ${token}x` })],
    ['token in upper case', make({ ...right, authorization: `Bearer ${token.toUpperCase()}X` })],
    ['basic instead of bearer', make({ ...right, authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` })],
    ['token in the query', make({ ...json, ...ours }, { path: `/api/v1/sessions?token=${token}` })],
    ['token as a cookie', make({ ...without(browser, 'cookie'), cookie: `salve=${token}` })],
    ['the address token as bearer', make({ ...right, authorization: `Bearer ${stage.url.hash.replace('#token=', '')}` })],
    ['cookie of another port', make({ ...browser, cookie: cookie.replace(String(port), String(port + 1)) })],
    ['cookie with another value', make({ ...browser, cookie: cookie.replace(/=.*/, `=${'A'.repeat(43)}`) })],
    ['cookie without our header', make(without(browser, 'x-salve'))],
    ['cookie without an origin and a fetch site', make(without(browser, 'origin', 'sec-fetch-site'))],
    ['form post', make({ ...browser, 'content-type': 'application/x-www-form-urlencoded' }, { payload: 'a=b' })],
    ['plain text post', make({ ...browser, 'content-type': 'text/plain' })],
    ['multipart post', make({ ...browser, 'content-type': 'multipart/form-data; boundary=x' }, { payload: '--x--' })],
    ['no content type', make(without(browser, 'content-type'))],
    ['json with parameters of a form', make({ ...browser, 'content-type': 'text/json; application/json' })],
    ['message without a token', tell({ ...json, ...ours })],
    ['message from another origin', tell({ ...browser, origin: 'http://evil.test' })],
    ['message as a form', tell({ ...browser, 'content-type': 'application/x-www-form-urlencoded' }, { payload: 'type=sendMessage&text=forged' })],
    ['action without a token', { method: 'POST', path: `/api/v1/sessions/${session}/actions`, payload: '{"type":"apply"}', headers: { ...json, ...ours } }],
    ['action from another site', { method: 'POST', path: `/api/v1/sessions/${session}/actions`, payload: '{"type":"apply"}', headers: { ...browser, 'sec-fetch-site': 'cross-site' } }],
    ['report without a token', { method: 'POST', path: '/api/v1/reports', payload: '{"from":"x","kind":"error","text":"x","auto_fix":false}', headers: { ...json, ...ours } }],
    ['stream without a token', read({})],
    ['stream with a wrong token', read({ authorization: `Bearer ${'A'.repeat(43)}` })],
    ['stream with the token in the query', read({}, `/api/v1/events?after=0&token=${token}`)],
    ['stream from another origin', read({ cookie, origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' })],
    ['stream for a frame of another site', read({ cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })],
    ['get with a body makes a session', { method: 'GET', path: '/api/v1/sessions/new', headers: right }],
    ['get of messages', { method: 'GET', path: `/api/v1/sessions/${session}/messages?type=sendMessage&text=forged`, headers: { ...bearer } }],
    ['get of actions', { method: 'GET', path: `/api/v1/sessions/${session}/actions?type=apply`, headers: { ...bearer } }],
    ['put of a session', make(right, { method: 'PUT' })],
    ['delete of a session', { method: 'DELETE', path: `/api/v1/sessions/${session}`, headers: without(right, 'authorization') }],
    ['method override', { method: 'GET', path: `/api/v1/sessions/${session}/messages`, headers: { ...right, 'x-http-method-override': 'POST' } }],
    ['preflight from another origin', { method: 'OPTIONS', path: '/api/v1/sessions', headers: { origin: 'http://evil.test', 'access-control-request-method': 'POST' } }],
    ['preflight from a public page to this machine', { method: 'OPTIONS', path: '/api/v1/sessions', headers: { origin: 'http://evil.test', 'access-control-request-private-network': 'true', 'access-control-request-method': 'POST' } }],
    ['page of another site in a frame', read({ cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }, '/api/v1/sessions')],
    ['a path that leaves the assets', { method: 'GET', path: '/assets/..%2f..%2fetc/passwd', headers: { cookie } }],
    ['websocket upgrade', { method: 'GET', path: '/api/v1/events?after=0', headers: { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'sec-websocket-version': '13', origin: 'http://evil.test' } }],
  ];
}

async function signed(t) {
  const stage = await t.stage();
  const page = await t.window(stage);
  const api = await Api.signIn(stage);
  const [cookie] = (await page.context().cookies()).filter((one) => one.httpOnly);
  ensure(cookie, 'the window has a cookie that scripts cannot read');
  const { id } = await api.post('/api/v1/sessions', {});
  return { stage, page, api, id, cookie: `${cookie.name}=${cookie.value}`, whole: cookie };
}

test('forged_requests_are_refused_and_nothing_happens', { smoke: true, seconds: 120 }, async (t) => {
  const { stage, api, id, cookie } = await signed(t);
  const token = api.headers.authorization.replace('Bearer ', '');
  const before = [await api.log(), await stage.run(['--format', 'json', 'sessions', 'list']).then((one) => one.out)];
  const all = forged(stage, id, token, cookie);
  const accepted = [];
  for (const [name, made] of all) {
    const answer = await exchange({ port: stage.port, ...made }).catch((error) => ({ status: 0, text: error.message, headers: {} }));
    if (answer.status >= 200 && answer.status < 400) accepted.push(`${name}: ${answer.status} ${answer.text.slice(0, 80)}`);
    if (answer.headers['access-control-allow-origin']) accepted.push(`${name}: an answer for other origins`);
    if (answer.status >= 500) accepted.push(`${name}: a fault of the server, ${answer.status}`);
  }
  same(accepted, [], 'forged requests that were accepted');
  ensure(all.length >= 40, `${all.length} requests`);
  // Failures are counted; after a pause the right token is still good.
  const after = [await api.log(), await stage.run(['--format', 'json', 'sessions', 'list']).then((one) => one.out)];
  same(after, before, 'log and sessions');
  t.note(`${all.length} forged requests, 0 accepted`);
});

test('forged_ones_pass_when_nothing_is_wrong', { smoke: true }, async (t) => {
  const { stage, api, cookie } = await signed(t);
  const host = `127.0.0.1:${stage.port}`;
  const program = await api.call('POST', '/api/v1/sessions', {});
  ensure(program.status < 300, `a program with its token: ${program.status} ${program.text}`);
  const page = await exchange({ port: stage.port, method: 'POST', path: '/api/v1/sessions', payload: '{}', headers: {
    cookie, 'content-type': 'application/json', 'x-salve': '1', origin: `http://${host}`, 'sec-fetch-site': 'same-origin' } });
  ensure(page.status < 300, `a page of ours: ${page.status} ${page.text}`);
});

test('forged_the_token_of_the_address_is_good_once', { smoke: true }, async (t) => {
  const stage = await t.stage();
  await t.window(stage);
  const browser = await t.world.browser();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(stage.said.url);
  await page.waitForTimeout(500);
  const menu = await page.getByRole('navigation', { name: 'Main' }).count();
  const cookies = await context.cookies();
  await context.close();
  same([menu, cookies.length], [0, 0], 'a second window with the same address');
});

test('forged_the_cookie_and_the_headers_are_strict', { smoke: true }, async (t) => {
  const { stage, page, whole } = await signed(t);
  same([whole.httpOnly, whole.sameSite, whole.expires, whole.path], [true, 'Strict', -1, '/'], 'the cookie');
  ensure(whole.name.includes(String(stage.port)), `the cookie is named by the port: ${whole.name}`);
  const answer = await page.goto(stage.origin + '/');
  const headers = answer.headers();
  const policy = headers['content-security-policy'] ?? '';
  for (const part of [/default-src 'none'|default-src 'self'/, /frame-ancestors 'none'/, /base-uri 'none'/, /form-action ('none'|'self')/, /require-trusted-types-for 'script'/, /trusted-types [\w-]+(;|$)/, /object-src 'none'|default-src 'none'/]) {
    ensure(part.test(policy), `${part} is not in the policy: ${policy}`);
  }
  ensure(!/unsafe-inline|unsafe-eval|\*|https?:/.test(policy), `the policy is loose: ${policy}`);
  same(headers['x-content-type-options'], 'nosniff', 'x-content-type-options');
  same(headers['referrer-policy'], 'no-referrer', 'referrer-policy');
  same(headers['cross-origin-opener-policy'], 'same-origin', 'cross-origin-opener-policy');
  ensure(/same-origin/.test(headers['cross-origin-resource-policy'] ?? ''), 'cross-origin-resource-policy');
});

test('forged_a_cookie_dies_with_the_process', {}, async (t) => {
  const { stage, cookie } = await signed(t);
  await stage.kill();
  await stage.serve();
  const answer = await exchange({ port: stage.port, method: 'GET', path: '/api/v1/events?after=0', headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  ensure(answer.status === 401 || answer.status === 403, `the old cookie: ${answer.status}`);
});

test('forged_failures_are_limited_and_the_right_one_still_works', {}, async (t) => {
  const { stage, page } = await signed(t);
  let limited = 0;
  for (let at = 0; at < 120; at += 1) {
    const answer = await exchange({ port: stage.port, method: 'GET', path: '/api/v1/events?after=0', headers: { authorization: `Bearer ${String(at).padStart(43, 'A')}` } });
    ensure(answer.status >= 400 && answer.status < 500, `a wrong token: ${answer.status}`);
    limited += answer.status === 429 ? 1 : 0;
  }
  ensure(limited > 0, 'wrong tokens are answered more slowly or not at all in the end');
  await page.reload();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
});

test('forged_bytes_that_are_no_http_do_no_harm', {}, async (t) => {
  const { stage, api } = await signed(t);
  const samples = ['GET / HTTP/1.1\r\n\r\n', 'GET / HTTP/1.1\r\nHost: \r\n\r\n', 'GET / HTTP/1.1\r\nHost: evil\r\nHost: 127.0.0.1\r\n\r\n', 'POST /api/v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00', 'A'.repeat(100_000), 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', `GET / HTTP/1.0\r\n\r\n`];
  for (const bytes of samples) {
    const text = await new Promise((resolve) => {
      let got = '';
      const socket = connect(stage.port, '127.0.0.1', () => socket.write(bytes));
      socket.on('data', (data) => { got += data; });
      socket.on('error', () => resolve(got));
      socket.on('close', () => resolve(got));
      setTimeout(() => { socket.destroy(); resolve(got); }, 1200);
    });
    ensure(!/^HTTP\/1\.[01] [235]/.test(text), `${JSON.stringify(bytes.slice(0, 60))} was answered ${text.slice(0, 40)}`);
  }
  ensure((await api.call('POST', '/api/v1/sessions', {})).status < 300, 'the server is still there');
});

test('forged_a_page_cannot_read_secrets_of_the_server', {}, async (t) => {
  const { page, stage } = await signed(t);
  const found = await page.evaluate(() => ({ cookie: document.cookie, storage: JSON.stringify({ ...localStorage, ...sessionStorage }), html: document.documentElement.outerHTML, hash: location.hash }));
  const token = stage.url.hash.replace('#token=', '');
  for (const [name, text] of Object.entries(found)) ensure(!text.includes(token), `the token is in ${name}`);
  same([found.cookie, found.hash], ['', ''], 'cookie and fragment that a script can read');
});
