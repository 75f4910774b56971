// The HTTP interface, as another program uses it.
//
// In: a stage. Out: calls with the token for programs, and the log of events read to its end. Never a cookie of the
// browser.

import { request } from 'node:http';
import { ensure } from './runner.mjs';
import { credentials } from './credentials.mjs';

export class Api {
  constructor(stage, headers) {
    this.stage = stage;
    this.headers = headers;
  }

  static async signIn(stage) {
    return new Api(stage, await credentials(stage));
  }

  /** The interface beside an open page. */
  static async of(page, stage) {
    return Api.signIn(stage);
  }

  /** One exchange; returns `{status, headers, text, json}` whatever the status is. */
  call(method, path, body, more = {}) {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = { ...this.headers, ...(payload ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) } : {}), ...more };
    return exchange({ port: this.stage.port, method, path, headers, payload });
  }

  async get(path) {
    return good('GET', path, await this.call('GET', path));
  }

  async post(path, body) {
    return good('POST', path, await this.call('POST', path, body));
  }

  /** Reads events after a number until `isOver(event)`; fails when that does not come in time. */
  events(after, isOver, { seconds = 30, session, signal } = {}) {
    return this.follow(`/api/v1/events?after=${after}${session ? `&session=${session}` : ''}`, isOver, { seconds, signal });
  }

  /** Reads a stream until `isOver(event)`. */
  follow(path, isOver, { seconds = 30, signal } = {}) {
    return new Promise((resolve, refuse) => {
      const call = request({ host: '127.0.0.1', port: this.stage.port, path, headers: { ...this.headers, accept: 'text/event-stream' } }, (answer) => {
        if (answer.statusCode !== 200) return done(refuse, new Error(`GET ${path} answered ${answer.statusCode}`));
        let buffer = '';
        answer.setEncoding('utf8');
        answer.on('data', (data) => {
          buffer += data;
          for (let end; (end = buffer.indexOf('\n\n')) >= 0; buffer = buffer.slice(end + 2)) {
            const event = frame(buffer.slice(0, end));
            if (event && isOver(event)) return done(resolve, event);
          }
          return undefined;
        });
        answer.on('end', () => done(refuse, new Error('the stream ended')));
        return undefined;
      });
      const timer = setTimeout(() => done(refuse, new Error(`no end of events within ${seconds} s`)), seconds * 1000);
      function done(how, value) { clearTimeout(timer); call.destroy(); how(value); }
      signal?.addEventListener('abort', () => done(resolve, null));
      call.on('error', (error) => done(refuse, error));
      call.end();
    });
  }

  /** Everything that is on the log now: read until nothing came for a while. */
  log() {
    return this.all('/api/v1/events?after=0');
  }

  /** The numbers of everything that is on a stream now. */
  async read(path) {
    return (await this.all(path)).map((event) => event.id);
  }

  async all(path) {
    const found = [];
    const quiet = new AbortController();
    let timer;
    const wait = () => { clearTimeout(timer); timer = setTimeout(() => quiet.abort(), 400); };
    wait();
    await this.follow(path, (event) => { found.push(event); wait(); return false; }, { seconds: 20, signal: quiet.signal });
    return found;
  }
}

/** One request over a connection of its own. */
export function exchange({ port, method, path, headers = {}, payload, host = '127.0.0.1', seconds = 5 }) {
  return new Promise((resolve, refuse) => {
    const call = request({ host, port, method, path, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      const finish = () => resolve({ status: answer.statusCode, headers: answer.headers, text, json: parsed(text) });
      // A stream that was accepted does not end; its status is the answer.
      const timer = setTimeout(() => { finish(); call.destroy(); }, 700);
      answer.on('data', (data) => { text += data; });
      answer.on('end', () => { clearTimeout(timer); finish(); });
      answer.on('error', () => { clearTimeout(timer); finish(); });
    });
    call.setTimeout(seconds * 1000, () => call.destroy(new Error(`no answer to ${method} ${path}`)));
    call.on('error', refuse);
    call.end(payload);
  });
}

function good(method, path, answer) {
  ensure(answer.status >= 200 && answer.status < 300, `${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  return answer.json;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}

// One frame of the stream: its number, its name, its facts.
function frame(text) {
  const fields = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf(':');
    if (at <= 0) continue;
    const [name, value] = [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
    fields[name] = name in fields ? `${fields[name]}\n${value}` : value;
  }
  if (fields.id === undefined) return null;
  const data = parsed(fields.data ?? '');
  return { id: Number(fields.id), name: data?.name ?? fields.event, session: data?.session, data };
}
