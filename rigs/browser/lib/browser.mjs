// The browser, and everything that a page must never do.
//
// In: Debian's chromium, a stage. Out: pages that are signed in, each watched: errors on the console, reports of the
// content policy, dialogs of the browser, requests to other places, downloads and new windows are collected. Never a
// profile of the machine.

import { chromium, axeSource } from './packages.mjs';
import { ensure } from './runner.mjs';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--js-flags=--expose-gc',
  '--enable-precise-memory-info'];

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 800 };

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
}

/** A window of its own, with no cookies. */
export async function openContext(browser, { scheme = 'light', viewport = WIDE, motion = 'no-preference' } = {}) {
  const context = await browser.newContext({ colorScheme: scheme, viewport, reducedMotion: motion, serviceWorkers: 'block' });
  context.setDefaultTimeout(30_000);
  context.watched = { problems: [], events: [], allowed: [] };
  await context.exposeBinding('salveTestSaw', (_, event) => { context.watched.events.push(event); });
  await context.exposeBinding('salveTestProblem', (_, text) => { context.watched.problems.push(text); });
  await context.addInitScript(watchFromInside);
  context.on('page', (page) => watch(page, context));
  return context;
}

// What the page sees of itself: reports of the policy, and every event of its stream with its number.
function watchFromInside() {
  window.addEventListener('securitypolicyviolation', (event) => {
    window.salveTestProblem(`policy: ${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample}`);
  });
  const Original = window.EventSource;
  window.EventSource = class extends Original {
    constructor(url, options) {
      super(url, options);
      window.salveTestSaw({ opened: String(url), load: performance.timeOrigin });
    }
    addEventListener(type, listener, options) {
      super.addEventListener(type, listener, options);
      if (type === 'error' || type === 'open') return;
      this.noted ??= new Set();
      if (this.noted.has(type)) return;
      this.noted.add(type);
      super.addEventListener(type, (event) => window.salveTestSaw({ id: event.lastEventId, type, load: performance.timeOrigin }));
    }
  };
}

function watch(page, context) {
  const { problems, allowed } = context.watched;
  const note = (text) => { if (!allowed.some((pattern) => pattern.test(text))) problems.push(text); };
  page.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => note(`thrown: ${error.message}`));
  page.on('dialog', (dialog) => { note(`dialog of the browser: ${dialog.message()}`); dialog.dismiss().catch(() => {}); });
  page.on('popup', (popup) => note(`a new window: ${popup.url()}`));
  page.on('download', (download) => note(`a download: ${download.url()}`));
  page.on('request', (request) => {
    const url = request.url();
    if (context.origin && !url.startsWith(context.origin + '/') && !url.startsWith('data:image/')) note(`a request to ${url}`);
  });
}

/** Opens the address that the server printed, which signs the window in. */
export async function signIn(context, stage) {
  context.origin = stage.origin;
  const page = await context.newPage();
  await page.goto(stage.said.url);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  ensure(!page.url().includes('token'), `the token is still in the address: ${page.url()}`);
  return page;
}

/** Fails on anything that was seen and is not allowed. */
export function nothingSeen(context) {
  const { problems } = context.watched;
  ensure(problems.length === 0, `the page did what it must not:\n${problems.slice(0, 10).join('\n')}`);
}

/** Runs axe on the page as it is; returns lines about violations. */
export async function axe(page) {
  // As a script of the debugger: the policy of the page forbids one in the document.
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression, awaitPromise) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression, awaitPromise, returnByValue: true });
    ensure(!exceptionDetails, `axe: ${exceptionDetails?.exception?.description}`);
    return result.value;
  };
  await evaluate(`if (!window.axe) { ${axeSource} }; 0`, false);
  const found = await evaluate(`axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) =>
    v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 4).map((n) => n.target.join(' ') + ' {' + n.failureSummary.split('\\n').slice(1, 3).join(' ').trim() + '}').join(' | ')))`, true);
  await session.detach();
  return found;
}
