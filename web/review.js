// Changes that wait: what a person says about files and hunks is gathered, and told as one decision.
//
// In: presses of Apply, Reject, Keep hunk and Reject hunk. Out: marks on the page, and one request when every file is
// decided about. Never a request that leaves out a file which nobody decided about.

import { act, told } from './act.js';
import { make, toast } from './page.js';

const waiting = (turn) => [...turn.querySelectorAll('.file[data-approval]')];

// What is taken of a file: hunks that nobody rejected.
function choice(file) {
  if (file.dataset.decided === 'reject') return 'reject';
  const hunks = [...file.querySelectorAll('.hunk[data-hunk]')];
  const kept = hunks.filter((one) => one.dataset.kept !== 'no');
  if (kept.length === hunks.length) return 'keep';
  return kept.length ? { hunks: kept.map((one) => one.dataset.hunk) } : 'reject';
}

function markHunk(button, kept) {
  const hunk = button.closest('.hunk');
  const again = hunk.dataset.kept === (kept ? 'yes' : 'no');
  if (again) delete hunk.dataset.kept;
  else hunk.dataset.kept = kept ? 'yes' : 'no';
  hunk.classList.toggle('kept', hunk.dataset.kept === 'yes');
  hunk.classList.toggle('dropped', hunk.dataset.kept === 'no');
  for (const one of hunk.querySelectorAll('[data-review]')) {
    one.setAttribute('aria-pressed', String(hunk.dataset.kept === (one.dataset.review === 'keepHunk' ? 'yes' : 'no')));
  }
}

function markFile(file, decision) {
  file.dataset.decided = decision;
  const actions = file.querySelector('.file-head .actions');
  const undo = make('button', { type: 'button', class: 'small quiet' }, 'Undo');
  const badge = make('span', { class: 'badge' }, decision === 'reject' ? 'Rejected' : 'Will be applied');
  const before = [...actions.childNodes];
  undo.addEventListener('click', () => {
    delete file.dataset.decided;
    actions.replaceChildren(...before);
    before[0].focus();
  });
  actions.replaceChildren(badge, undo);
  undo.focus({ preventScroll: true });
}

async function settle(turn) {
  const files = waiting(turn);
  const open = files.filter((one) => !one.dataset.decided);
  if (open.length) {
    const words = open.length === 1 ? '1 file is left to decide about.' : `${open.length} files are left to decide about.`;
    toast(`${words} Then the changes are written as one step.`);
    return;
  }
  const { approval } = files[0].dataset;
  const chosen = Object.fromEntries(files.map((one) => [one.dataset.path, choice(one)]));
  const none = Object.values(chosen).every((one) => one === 'reject');
  try {
    await act(none ? { type: 'reject', approval } : { type: 'apply', approval, files: chosen });
  } catch (error) {
    told(error);
  }
}

/** Takes a press of a review button. */
export function review(button) {
  const turn = button.closest('.turn');
  const kind = button.dataset.review;
  if (kind === 'keepHunk' || kind === 'rejectHunk') return markHunk(button, kind === 'keepHunk');
  if (kind === 'applyAll') waiting(turn).filter((one) => !one.dataset.decided).forEach((one) => markFile(one, 'keep'));
  else markFile(button.closest('.file'), kind === 'reject' ? 'reject' : 'keep');
  return settle(turn);
}
