// The page is brought up to date from one stream.
//
// In: swaps that the server drew, with the number of the event they belong to. Out: the same elements on the page, with the
// focus, the selection, open details and the scroll as they were. Never a swap twice, and no HTML from anywhere else.

import { byId, session, speak, toast } from './page.js';

// The one policy of the page. It is known to this module alone, and only to what comes from the stream.
const policy = globalThis.trustedTypes?.createPolicy('salve', { createHTML: (text) => text }) ?? { createHTML: (text) => text };

function parsed(html) {
  const template = document.createElement('template');
  template.innerHTML = policy.createHTML(html);
  return template.content;
}

const follow = { end: true, held: false };
const log = () => byId('log');
const isAtEnd = (node) => node.scrollHeight - node.scrollTop - node.clientHeight < 48;

/** Goes to the end and stays there while more comes. */
export function toEnd() {
  Object.assign(follow, { end: true, held: false });
  const node = log();
  if (node) node.scrollTop = node.scrollHeight;
}

/** Lets the scroll be where a person wants it. */
export function stopFollowing() {
  Object.assign(follow, { end: false, held: true });
}

// Where the focus is, in words that are still true when the element was drawn anew.
function place(node) {
  const active = document.activeElement;
  if (!active || !node.contains(active)) return null;
  const near = active.closest('[id]');
  return { id: active.id, near: near?.id, text: active.textContent };
}

function refocus(where, node) {
  if (!where || node.contains(document.activeElement)) return;
  const near = (where.near && byId(where.near)) || node;
  const same = where.id ? byId(where.id)
    : [...near.querySelectorAll('button, summary, a')].find((one) => one.textContent === where.text);
  const next = same ?? near.querySelector('button, summary') ?? near.closest('article, section') ?? byId('main');
  if (next === near.closest?.('article, section') || !next.matches('button, summary, a, input, textarea')) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

// What a person typed into a field stays there when it is drawn anew.
function retype(old, fresh) {
  const key = (box) => `${box.closest('[id]')?.id} ${box.name}`;
  const boxes = (node) => [...node.querySelectorAll('input[type="text"][name], input:not([type])[name], textarea[name]')];
  const typed = new Map(boxes(old).filter((box) => box.value !== box.defaultValue).map((box) => [key(box), box.value]));
  for (const box of typed.size ? boxes(fresh) : []) if (typed.has(key(box))) box.value = typed.get(key(box));
}

const opened = (node) => [...node.querySelectorAll('details[id]')].map((one) => [one.id, one.open]);

function replace(old, html) {
  const fresh = parsed(html).firstElementChild;
  if (!fresh) return;
  for (const [id, open] of opened(old)) {
    const same = fresh.querySelector(`#${CSS.escape(id)}`);
    if (same) same.open = open;
  }
  for (const shut of old.querySelectorAll('dialog')) {
    const same = fresh.querySelector(`#${CSS.escape(shut.id)}`);
    // A question that is open stays as it is while it is the same.
    if (same && shut.open && same.innerHTML === shut.innerHTML) return;
  }
  // A panel that was closed stays closed for its row of commands.
  if (old.hidden && old.dataset.batch && old.dataset.batch === fresh.dataset.batch) fresh.hidden = true;
  if (old.isEqualNode(fresh)) return;
  const where = place(old);
  retype(old, fresh);
  old.replaceWith(fresh);
  refocus(where, fresh);
}

function one({ op, target, html }) {
  if (op === 'toast') return toast(html);
  const node = byId(target);
  if (!node) return undefined;
  if (op === 'replace') return replace(node, html);
  if (op === 'remove') return node.remove();
  if (op === 'append') {
    const fresh = parsed(html);
    const known = fresh.firstElementChild?.id && byId(fresh.firstElementChild.id);
    return known ? known.replaceWith(fresh) : node.append(fresh);
  }
  const last = node.lastChild;
  if (last?.nodeType === Node.TEXT_NODE) last.appendData(html);
  else node.append(html);
  return undefined;
}

let waiting = [];
let frame = 0;
const BUDGET = 40;

// A frame takes what it can in its time; the rest waits for the next one.
function draw() {
  frame = 0;
  const node = log();
  const begun = performance.now();
  let at = 0;
  while (at < waiting.length && performance.now() - begun < BUDGET) {
    if (waiting[at].swap) one(waiting[at].swap);
    else document.body.dataset.after = waiting[at].id;
    at += 1;
  }
  waiting = waiting.slice(at);
  document.dispatchEvent(new CustomEvent('salve:drawn'));
  if (node && follow.end) node.scrollTop = node.scrollHeight;
  if (waiting.length) schedule();
}

function schedule() {
  // A hidden page draws no frames, and must not fall behind.
  frame ||= document.hidden ? setTimeout(draw, 100) : requestAnimationFrame(draw);
}

/** Keeps the end of the conversation in view, and follows its session. */
export function start() {
  const node = log();
  if (!node) return;
  // On its way to another place the page is near the end for a while; it is not to go back there.
  node.addEventListener('scroll', () => { if (!follow.held) follow.end = isAtEnd(node); }, { passive: true });
  for (const kind of ['scrollend', 'wheel', 'touchmove', 'keydown']) node.addEventListener(kind, () => { follow.held = false; }, { passive: true });
  new ResizeObserver(() => { if (follow.end) node.scrollTop = node.scrollHeight; }).observe(node);
  if (!location.hash) toEnd();
  if (session()) followSession();
}

const REST = 20_000;
const lastSeen = () => waiting.at(-1)?.id ?? Number(document.body.dataset.after);

/** Follows the session of the page. A browser has few connections to one server: a tab that nobody sees gives its one back. */
export function followSession() {
  let source = open();
  let rest = 0;
  document.addEventListener('visibilitychange', () => {
    clearTimeout(rest);
    if (document.hidden) rest = setTimeout(() => { source.close(); source = null; }, REST);
    else source ??= open();
  });
  addEventListener('pagehide', () => source?.close());
}

function open() {
  let lost = false;
  const source = new EventSource(`/stream?session=${encodeURIComponent(session())}&after=${lastSeen()}`);
  source.addEventListener('message', (event) => {
    const id = Number(event.lastEventId);
    if (id <= lastSeen()) return;
    for (const swap of JSON.parse(event.data)) waiting.push({ swap });
    waiting.push({ id });
    schedule();
  });
  source.addEventListener('open', () => { if (lost) toast('Connected again.'); lost = false; });
  source.addEventListener('error', () => {
    if (!lost) speak('The connection is lost.');
    if (!lost && source.readyState === EventSource.CLOSED) toast('The connection to Salve is lost. Start it again and reload this page.', { bad: true });
    lost = true;
  });
  return source;
}
