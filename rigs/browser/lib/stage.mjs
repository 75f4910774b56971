// A project of a user, a scripted model, and `salve serve` on it: processes of their own.
//
// In: files, rules of the script, settings. Out: a running server with its address, which can be killed and started
// again on the same data. Never the machine's own settings, and never a process that outlives its stage.

import { spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { ensure } from './runner.mjs';
import { FILES, RULES } from './answers.mjs';

const salve = process.env.SALVE;
const PATIENCE = 30_000;

/** A port of loopback that was free a moment ago. */
export function freePort() {
  return new Promise((resolve, refuse) => {
    const server = createServer();
    server.once('error', refuse);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export class Stage {
  /** Makes the folders and starts model and server. `model: null` leaves the machine without a model. */
  static async open({ files = FILES, rules = RULES, settings = '', model = {}, args = [], serve = true } = {}) {
    const stage = new Stage();
    stage.folder = mkdtempSync(join(tmpdir(), 'salve-browser-'));
    for (const name of ['project', 'data', 'home/salve']) mkdirSync(join(stage.folder, name), { recursive: true });
    stage.project = join(stage.folder, 'project');
    stage.args = args;
    for (const [path, text] of Object.entries(files)) stage.write(path, text);
    let config = settings;
    if (model) {
      stage.simPort = await freePort();
      await stage.play(rules);
      config += providerOf(stage.simPort, model);
    }
    writeFileSync(join(stage.folder, 'home/salve/config.toml'), config);
    if (serve) await stage.serve();
    return stage;
  }

  /** Starts the scripted model, or lets it play another script. */
  async play(rules) {
    await end(this.sim, 'SIGTERM');
    const script = join(this.folder, 'script.jsonl');
    writeFileSync(script, rules.map((rule) => JSON.stringify(rule)).join('\n') + '\n');
    this.sim = this.start(['sim', '--script', script, '--port', String(this.simPort)]);
    await firstLine(this.sim);
  }

  /** Starts the server; a second time on the same port, as a user's bookmark expects. */
  async serve() {
    const port = this.port ? ['--port', String(this.port)] : [];
    this.server = this.start(['--format', 'json', 'serve', '--no-open', ...port, ...this.args]);
    const line = await firstLine(this.server);
    const said = JSON.parse(line);
    ensure(said.url && said.pid, `the first line is not {url, pid}: ${line}`);
    this.said = said;
    this.url = new URL(said.url);
    this.origin = this.url.origin;
    this.port = Number(this.url.port);
    this.pid = said.pid;
    return said;
  }

  /** Ends the server as a power cut would. */
  async kill() {
    await end(this.server, 'SIGKILL');
  }

  /** Runs another command of the same user to its end; returns `{code, out, err}`. */
  run(words, input = '') {
    const child = this.start(words, true);
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => { out += data; });
    child.stderr.on('data', (data) => { err += data; });
    child.stdin.end(input);
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  }

  start(words, piped = false) {
    const home = join(this.folder, 'home');
    const { PATH, LANG, TMPDIR } = process.env;
    const env = { PATH, LANG, TMPDIR, HOME: home, XDG_CONFIG_HOME: home, SALVE_DATA: join(this.folder, 'data'), SIM_KEY: 'sk-not-a-key' };
    for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
    const child = spawn(salve, words, { cwd: this.project, env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.said = '';
    if (!piped) child.stderr.on('data', (data) => { child.said = (child.said + data).slice(-8000); });
    return child;
  }

  write(path, text) {
    const full = join(this.project, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }

  read(path) {
    return readFileSync(join(this.project, path), 'utf8');
  }

  /** Every file of the project with its text and mode, what Salve keeps for itself left out. */
  tree() {
    const found = {};
    const walk = (folder) => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (['.salve', '.git', '__pycache__'].includes(entry.name)) continue;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) walk(path);
        else found[relative(this.project, path)] = [statSync(path).mode, readFileSync(path, 'latin1')];
      }
    };
    walk(this.project);
    return Object.fromEntries(Object.entries(found).sort(([left], [right]) => (left < right ? -1 : 1)));
  }

  /** The server's resident memory in MiB. */
  memory() {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
  }

  async close() {
    await end(this.server, 'SIGKILL');
    await end(this.sim, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function providerOf(port, { context, price, image } = {}) {
  const known = context ? `\n[[model]]\nnames = ['scripted']\ncontext = ${context}\noutput = ${Math.floor(context / 4)}\n` : '';
  const cost = known && price ? `price = { input = ${price}, output = ${price} }\n` : '';
  return `\n[[provider]]\nname = 'sim'\ndialect = 'chat'\nbase_url = 'http://127.0.0.1:${port}/v1'\nkey = { environment = 'SIM_KEY' }\n`
    + `\n[roles]\nmodel = 'sim/scripted'\n${image ? "image = 'sim/drawing'\n" : ''}${known}${cost}`
    + (image ? "\n[[model]]\nnames = ['drawing']\nimage = true\nprice = { input = '0', output = '0', image = '0.07' }\n" : '');
}

function firstLine(child) {
  return new Promise((resolve, refuse) => {
    const lines = createInterface({ input: child.stdout });
    const timer = setTimeout(() => refuse(new Error(`said nothing for ${PATIENCE} ms: ${child.said}`)), PATIENCE);
    lines.once('line', (line) => { clearTimeout(timer); resolve(line); });
    child.once('error', (error) => { clearTimeout(timer); refuse(error); });
    child.once('close', (code) => { clearTimeout(timer); refuse(new Error(`ended with ${code}: ${child.said}`)); });
  });
}

function end(child, signal) {
  if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => { child.once('close', resolve); child.kill(signal); });
}
