// The input of the chat, the bar that keeps the summary in view, and reviewing by keys.
//
// In: what a person writes and where they are on the page. Out: requests, and a page that shows what they need. Never
// sends by itself: a next step only fills the input.

import { byId, isTyping, make, speak, toast } from './page.js';
import { press, readySession, say, told } from './act.js';
import { stopFollowing, toEnd } from './stream.js';
import { startCompletion } from './complete.js';

const input = () => byId('message');
let images = [];
let lastSent = '';
let expecting = false;

export function startChat() {
  if (!input()) return;
  byId('composer').addEventListener('submit', (event) => { event.preventDefault(); send(); });
  input().addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) { event.preventDefault(); send(); }
    if (event.key === 'ArrowUp' && input().value === '' && lastSent) { event.preventDefault(); fill(lastSent); }
  });
  byId('images').addEventListener('change', attach);
  document.addEventListener('click', (event) => {
    const step = event.target.closest?.('[data-fill]');
    if (step) { fill(step.dataset.fill); hideBar(true); }
    const ask = event.target.closest?.('[data-ask]');
    if (ask && byId(ask.dataset.ask)) openOver(byId(ask.dataset.ask));
    const later = event.target.closest?.('[data-later]');
    if (later) toast(later.dataset.later);
    // Commands that were told to run may lead to a question; another one is not pressed on anybody.
    if (event.target.closest?.('[data-act*="runCommand"], [data-act*="runAll"]')) expecting = true;
  });
  startCompletion(input(), byId('completions'));
  startBar();
  readySession().catch(told);
  document.addEventListener('salve:drawn', afterDrawing);
  afterDrawing();
  if (input().value === '' && !matchMedia('(pointer: coarse)').matches && !location.hash) input().focus({ preventScroll: true });
}

/** Puts words into the input. */
export function fill(words) {
  const box = input();
  box.value = words;
  box.focus();
  box.setSelectionRange(words.length, words.length);
  box.dispatchEvent(new Event('input', { bubbles: true }));
}

async function send() {
  const text = input().value;
  if (!text.trim()) return;
  expecting = false;
  const [sent, pictures] = [text, images];
  input().value = '';
  images = [];
  showImages();
  hideBar(false);
  toEnd();
  try {
    await say(sent, pictures);
    lastSent = sent;
  } catch (error) {
    // What was written is not lost.
    if (input().value === '') input().value = sent;
    images = pictures;
    showImages();
    told(error);
  }
}

async function attach(event) {
  for (const file of event.target.files) {
    const read = new FileReader();
    const done = new Promise((resolve) => { read.onload = resolve; read.onerror = resolve; });
    read.readAsDataURL(file);
    await done;
    if (typeof read.result === 'string') images.push(read.result);
  }
  event.target.value = '';
  showImages();
}

function showImages() {
  const list = byId('attached');
  list.hidden = images.length === 0;
  list.replaceChildren(...images.map((_, at) => {
    const drop = make('button', { type: 'button', class: 'small' }, `Image ${at + 1} ✕`);
    drop.addEventListener('click', () => { images.splice(at, 1); showImages(); input().focus(); });
    return make('li', {}, drop);
  }));
}

// What follows from a drawn event: questions are opened, and a reader is told how it stands.
let saidLast = '';
function afterDrawing() {
  for (const dialog of document.querySelectorAll('#questions dialog:not([open]):not([data-asked])')) {
    const isAsked = (expecting && !('row' in dialog.dataset)) || dialog.id === 'handoff';
    dialog.dataset.asked = '';
    if (!isAsked) continue;
    // A person who is writing is not interrupted.
    if (document.activeElement === input() && input().value) dialog.show();
    else openOver(dialog);
    if (document.activeElement !== input() || !input().value) continue;
    input().focus();
  }
  const status = document.querySelector('.turn:last-of-type footer.status')?.dataset.status ?? '';
  if (status !== saidLast && saidLast) speak(`Turn: ${status.replace(/^\W+/u, '')}`);
  saidLast = status;
  watchSummary();
}

/** Opens a dialog over the page and gives the focus back when it closes. */
export function openOver(dialog) {
  const before = document.activeElement;
  dialog.addEventListener('close', () => {
    if (before?.isConnected && before !== document.body) before.focus();
    else (input() ?? byId('main')).focus();
  }, { once: true });
  dialog.showModal();
}

// The bar. It is about the last answer; closed, it stays closed for that one.
const bar = { of: null, closed: null, hiddenBy: null, seen: true };
let watcher = null;

function startBar() {
  watcher = new IntersectionObserver((entries) => {
    bar.seen = entries.at(-1).isIntersecting;
    if (bar.seen) bar.hiddenBy = null;
    showBar();
  }, { root: byId('log') });
}

function watchSummary() {
  const turn = [...document.querySelectorAll('.turn:not(.folded)')].at(-1);
  const isOver = turn && !turn.querySelector('[aria-busy="true"]');
  const summary = isOver ? turn.querySelector('[data-summary]') : null;
  if (summary === bar.of && (!summary || summary.isConnected)) return showBar();
  watcher.disconnect();
  Object.assign(bar, { of: summary, seen: true, hiddenBy: null });
  if (summary) watcher.observe(summary);
  return showBar();
}

function hideBar(forNow) {
  if (forNow) bar.hiddenBy = bar.of;
  else bar.of = null;
  showBar();
}

function showBar() {
  const node = byId('summary-bar');
  const turn = bar.of?.closest('.turn');
  const isShown = turn && !bar.seen && bar.closed !== turn.id && bar.hiddenBy !== bar.of;
  if (!isShown) { node.hidden = true; return; }
  if (!node.hidden) return;
  const words = bar.of.textContent.trim().replace(/\s+/g, ' ');
  const steps = [...turn.querySelectorAll('.steps [data-fill]')].slice(0, 3).map((one) => one.cloneNode(true));
  steps.forEach((one) => one.classList.add('small'));
  const details = make('button', { type: 'button', class: 'small quiet' }, 'See details ↑');
  details.addEventListener('click', () => {
    stopFollowing();
    bar.hiddenBy = bar.of;
    const target = bar.of;
    showBar();
    turn.focus({ preventScroll: true });
    target.scrollIntoView({ block: 'start', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
  });
  const close = make('button', { type: 'button', class: 'small quiet close', 'aria-label': 'Close' }, '✕');
  close.addEventListener('click', () => { bar.closed = turn.id; showBar(); input().focus(); });
  const short = words.length > 160 ? `${words.slice(0, 159)}…` : words;
  node.replaceChildren(make('span', { class: 'good', 'aria-hidden': 'true' }, '✓'), make('span', { class: 'words' }, short), details, close, ...(steps.length ? [make('div', { class: 'steps' }, ...steps)] : []));
  node.hidden = false;
}

/** Does what a key says while nobody is writing. */
export function reviewKey(event) {
  if (isTyping(event.target)) return false;
  const hunks = [...document.querySelectorAll('.hunk[tabindex]')];
  const here = document.activeElement?.closest?.('.hunk, .file');
  const at = hunks.indexOf(document.activeElement?.closest?.('.hunk'));
  const pressed = (scope, words) => [...(scope?.querySelectorAll('button[data-act]') ?? [])].find((one) => one.textContent === words);
  const go = (to) => { hunks[to]?.focus(); hunks[to]?.scrollIntoView({ block: 'nearest' }); };
  switch (event.key) {
    case 'j': go(Math.min(at + 1, hunks.length - 1)); return true;
    case 'k': go(Math.max(at - 1, 0)); return true;
    case 'y': case 'n': case 'A': case 'R': {
      const [scope, words] = { y: ['.hunk', 'Keep hunk'], n: ['.hunk', 'Reject hunk'], A: ['.file', 'Apply'], R: ['.file', 'Reject'] }[event.key];
      const button = pressed(here?.closest(scope), words);
      if (button) press(button);
      return Boolean(button);
    }
    case '/': input()?.focus(); return Boolean(input());
    case 't': byId('todos')?.focus(); return Boolean(byId('todos'));
    default: return false;
  }
}
