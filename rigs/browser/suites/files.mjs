// The registry of files that the session knows.
//
// In: turns that read and change files, and a person who changes one. Out: the rows C-245 to C-247. Never reads the
// store: the screen is what is looked at.

import { ask, visit } from '../lib/chat.mjs';
import { ensure, suite, until } from '../lib/runner.mjs';
import { LIMIT_AFTER } from '../lib/answers.mjs';

const test = suite('files');
const row = (page, path) => page.getByRole('main').getByRole('row').filter({ hasText: path });

test('c245_a_file_is_listed_with_what_is_known_of_it', { smoke: true }, async (t) => {
  const { page } = await t.chat({ settings: 'auto_apply_files = false\n' });
  await ask(page, 'one: raise the limit in limit.py');
  await visit(page, 'Files');
  const text = await row(page, 'limit.py').first().innerText();
  ensure(/[0-9a-f]{12}/.test(text), `the hash in: ${text}`);
  ensure(/python/i.test(text), `the language in: ${text}`);
});

test('c246_c247_a_file_is_stale_after_it_was_changed', {}, async (t) => {
  const { stage, page } = await t.chat({ settings: 'auto_apply_files = true\n' });
  await ask(page, 'one: raise the limit in limit.py');
  await until('limit.py is written', () => stage.read('limit.py') === LIMIT_AFTER);
  stage.write('limit.py', LIMIT_AFTER + '# mine\n');
  await visit(page, 'Files');
  await until('it is marked as stale', async () => /stale|⚠️/iu.test(await row(page, 'limit.py').first().innerText()));
});

test('c247_a_file_that_was_not_changed_is_fresh', {}, async (t) => {
  const { page } = await t.chat({ settings: 'auto_apply_files = false\n' });
  await ask(page, 'one: raise the limit in limit.py');
  await visit(page, 'Files');
  ensure(!/stale|⚠️/iu.test(await row(page, 'limit.py').first().innerText()), 'not stale');
});
