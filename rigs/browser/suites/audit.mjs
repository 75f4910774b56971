// Audit and errors: what was sent and said, and what went wrong.
//
// In: turns with and without the audit. Out: the rows C-255, C-257 to C-259, C-261, C-262, C-264. Never a secret: a key
// that a model repeats is not shown.

import { ask, button, openChat, visit } from '../lib/chat.mjs';
import { ensure, suite, until } from '../lib/runner.mjs';
import { CUT_FOR_GOOD } from '../lib/answers.mjs';

const test = suite('audit');
const main = (page) => page.getByRole('main').innerText();

async function withAudit(t, ...requests) {
  const { stage, page } = await t.chat();
  await ask(page, 'one: first of all');
  const { code, err } = await stage.run(['sessions', 'audit', 'last', '--on']);
  ensure(code === 0, err);
  for (const words of requests) await ask(page, words, 60);
  await visit(page, 'Audit');
  return { stage, page };
}

test('c258_without_an_audit_it_says_how_to_get_one', { smoke: true }, async (t) => {
  const { page } = await t.chat();
  await ask(page, 'one: raise the limit in limit.py');
  await visit(page, 'Audit');
  await until('the text', async () => (await main(page)).includes('No audit document found.'));
  const text = await main(page);
  ensure(/Future generations will be saved to debug:\S+/.test(text), text);
  ensure((await page.getByRole('main').getByRole('listitem').count()) >= 3, 'three steps');
});

test('c257_pairs_newest_first_raw_beside_parsed', {}, async (t) => {
  const { page } = await withAudit(t, 'one: the second', 'chatty: the third');
  await until('the pairs', async () => /Generation Audit/.test(await main(page)));
  const text = await main(page);
  ensure(/Entries: 2/.test(text), text.slice(0, 600));
  ensure(/Pair #\d/.test(text) && /scripted/.test(text) && /stop/.test(text), text.slice(0, 900));
  ensure(/\d+ in \/ \d+ out/.test(text), text.slice(0, 900));
  ensure(/User Message/.test(text) && /Full AI Generation/.test(text), text.slice(0, 900));
  ensure(text.indexOf('chatty: the third') < text.indexOf('one: the second'), 'the newest is first');
});

test('c259_a_cut_by_length_is_flagged', {}, async (t) => {
  const { stage, page } = await withAudit(t);
  await stage.play(CUT_FOR_GOOD);
  await openChat(page);
  await ask(page, 'make three files', 60);
  await visit(page, 'Audit');
  ensure(/length/.test(await main(page)), 'the reason of the model');
  ensure(/truncated|cut/i.test(await main(page)), 'what that means');
});

test('c262_c264_bugs_are_listed_and_a_person_can_file_one', {}, async (t) => {
  const { page } = await t.chat();
  await ask(page, 'legacy:');
  await visit(page, 'Audit');
  await until('the bug of the script', async () => /script/.test(await main(page)) && /JSON|Other/.test(await main(page)));
  await button(page, /Report a bug|File a bug|Report bug/i).first().click();
  const box = page.getByRole('dialog').getByRole('textbox').or(page.getByRole('textbox', { name: /bug|description|what/i })).first();
  await box.fill('The answer was in the wrong language.');
  await button(page, /^(File|Report|Send|Save)/).last().click();
  await until('the bug of the person', async () => (await main(page)).includes('The answer was in the wrong language.') && /user/i.test(await main(page)));
});

test('c261_a_block_is_explained_by_its_evidence', {}, async (t) => {
  const { page } = await withAudit(t, 'stale: raise the limit in limit.py');
  ensure(/hash/i.test(await main(page)), 'the hash mismatch is told');
  await openChat(page);
});
