// Nothing that a model, a file, a diff or a tool wrote is ever markup.
//
// In: the payloads, through every field that an answer, a file name, a file, an output or a request has. Out: none ran:
// the function was not called, no dialog came, nothing was fetched, the page is where it was. Never trusts the policy
// alone: a report of it is a failure too, because then the markup had reached the document.

import { ask, button, conversation, SCREENS, visit, send, over } from '../lib/chat.mjs';
import { PAYLOADS, FILE_NAMES } from '../lib/payloads.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { answer, rule, RULES } from '../lib/answers.mjs';
import { Api } from '../lib/api.mjs';

const test = suite('xss');
const GROUP = 12;

// One answer with a payload in every field that an answer has.
const everywhere = (text, at) => answer({
  summary: `S${at} ${text}`,
  sections: [{ heading: `H${at} ${text}`, content: `C${at} before\n\n${text}\n\nafter` }],
  todos: [{ text: `T${at} ${text}`, completed: false }],
  commands: [{ command: `echo ${JSON.stringify(text.replace(/[\n\0]/g, ' '))}`, description: text, cwd: '.' }],
  nextSteps: [{ html: `N${at} ${text}`, inputText: text }],
  fileChanges: [{ path: `out/file${at}.html`, content: `<p>${text}</p>\n`, reason: text }],
});

async function armed(t, options) {
  const { stage, page } = await t.chat(options);
  await page.context().exposeBinding('pwn', () => { page.context().watched.problems.push('pwn() was called'); });
  await page.reload();
  await conversation(page).waitFor();
  return { stage, page };
}

// The page is ours, where it was, and nothing of the payloads is an element.
async function untouched(page, origin) {
  ensure(page.url().startsWith(origin + '/'), `the page went to ${page.url()}`);
  const foreign = await page.evaluate(() => {
    const inside = document.querySelector('main');
    const bad = [...inside.querySelectorAll('script, iframe, object, embed, style, link, meta, base, form[action^="javascript" i], math, marquee, template, noscript, frame, foreignObject')];
    const handlers = [...document.querySelectorAll('*')].filter((node) => [...node.attributes].some((one) => /^on/i.test(one.name)));
    const links = [...document.querySelectorAll('[href],[src],[xlink\\:href],[formaction],[action]')].filter((node) => ['href', 'src', 'xlink:href', 'formaction', 'action'].some((name) => /^\s*(javascript|vbscript|data:text)/i.test(node.getAttribute(name) ?? '')));
    const pictures = [...inside.querySelectorAll('img')].filter((node) => !node.src.startsWith(location.origin) && !node.src.startsWith('data:image/') && !node.src.startsWith('blob:'));
    const styled = [...inside.querySelectorAll('[style]')].filter((node) => /url\(|expression|position:\s*fixed/i.test(node.getAttribute('style')));
    return [...bad, ...handlers, ...links, ...pictures, ...styled].map((node) => node.outerHTML.slice(0, 160));
  });
  same(foreign, [], 'markup of a payload in the document');
}

test('xss_there_are_enough_payloads', { smoke: true }, async (t) => {
  ensure(PAYLOADS.length >= 100, `${PAYLOADS.length} payloads`);
  same(new Set(PAYLOADS.map((one) => one.text)).size, PAYLOADS.length, 'different payloads');
  t.note(`${PAYLOADS.length} payloads of ${new Set(PAYLOADS.map((one) => one.kind)).size} classes`);
});

const kinds = [...new Set(PAYLOADS.map((one) => one.kind))];
for (const kind of kinds) {
  test(`xss_in_every_field_of_an_answer_${kind}`, { seconds: 240, smoke: kind === 'handlers' }, async (t) => {
    const texts = PAYLOADS.filter((one) => one.kind === kind).map((one) => one.text);
    const rules = texts.map((text, at) => rule(`payload ${at} `, everywhere(text, at)));
    const { stage, page } = await armed(t, { rules: [...rules, ...RULES], settings: 'auto_apply_files = false\n' });
    for (let at = 0; at < texts.length; at += 1) {
      const turn = await send(page, `payload ${at} ${texts[at]}`);
      await over(turn, 60);
      await untouched(page, stage.origin);
      ensure((await turn.innerText()).includes(`S${at} `), `the answer to ${texts[at]} is shown`);
      if (at % GROUP === GROUP - 1) await page.reload();
    }
    for (const name of ['History', 'Files', 'Audit', 'Home', 'Jobs']) {
      await visit(page, name);
      await untouched(page, stage.origin);
    }
    t.note(`${texts.length} payloads in 11 fields`);
  });
}

test('xss_while_it_streams_in_small_pieces', { seconds: 240, smoke: true }, async (t) => {
  const all = PAYLOADS.map((one) => one.text).join('\n\n');
  const rules = [rule('pieces:', answer({ summary: 'Pieces', sections: [{ heading: 'All', content: all }] }), { chunk: 7, delay_ms: 0 }), ...RULES];
  const { stage, page } = await armed(t, { rules });
  const turn = await send(page, 'pieces: of everything');
  for (let at = 0; at < 6; at += 1) {
    await page.waitForTimeout(150);
    await untouched(page, stage.origin);
  }
  await over(turn, 120);
  await untouched(page, stage.origin);
});

test('xss_in_plain_answers_that_are_no_json', { seconds: 120 }, async (t) => {
  const groups = Array.from({ length: Math.ceil(PAYLOADS.length / 20) }, (_, at) => PAYLOADS.slice(at * 20, at * 20 + 20));
  const rules = groups.map((group, at) => rule(`plain ${at} `, group.map((one) => one.text).join('\n\n')));
  const { stage, page } = await armed(t, { rules: [...rules, ...RULES] });
  for (let at = 0; at < groups.length; at += 1) {
    await over(await send(page, `plain ${at} please`), 60);
    await untouched(page, stage.origin);
  }
});

test('xss_in_file_names_and_diffs', { seconds: 150 }, async (t) => {
  const rules = FILE_NAMES.map((name, at) => rule(`name ${at} `, answer({ summary: 'A file.', fileChanges: [{ path: name, content: `<script>pwn()</script>\n` }] })));
  const files = Object.fromEntries(FILE_NAMES.map((name, at) => [name.replaceAll('/', '_'), `X = ${at}\n`]));
  const { stage, page } = await armed(t, { files: { ...files, 'limit.py': 'LIMIT = 5\n' }, rules: [...rules, ...RULES], settings: 'auto_apply_files = false\n' });
  for (let at = 0; at < FILE_NAMES.length; at += 1) {
    const turn = await send(page, `name ${at} please, see @${FILE_NAMES[at]}`);
    await over(turn, 60);
    const apply = button(turn, 'Apply');
    if (await apply.count()) await apply.first().click().catch(() => {});
    await untouched(page, stage.origin);
  }
  for (const name of SCREENS) {
    await visit(page, name);
    await untouched(page, stage.origin);
  }
});

test('xss_in_the_output_of_a_command', { seconds: 120 }, async (t) => {
  const content = PAYLOADS.map((one) => one.text).join('\n');
  const rules = [rule('output:', answer({ summary: 'Shows it.', commands: [{ command: 'cat hostile.txt' }] })), ...RULES];
  const { stage, page } = await armed(t, { files: { 'hostile.txt': content }, rules });
  const turn = await ask(page, 'output: show it');
  await button(turn, 'Run').first().click();
  await until('it ran', async () => (await conversation(page).innerText()).includes('I have read the output.'), { seconds: 40 });
  await untouched(page, stage.origin);
  await page.reload();
  await conversation(page).waitFor();
  await untouched(page, stage.origin);
});

test('xss_in_a_diagnostic_and_a_report', { seconds: 90 }, async (t) => {
  const stage = await t.stage();
  const page = await t.window(stage);
  await page.context().exposeBinding('pwn', () => { page.context().watched.problems.push('pwn() was called'); });
  const api = await Api.signIn(stage);
  for (const { text } of PAYLOADS.filter((_, at) => at % 6 === 0)) {
    await api.post('/api/v1/reports', { from: text, kind: 'diagnosis', text: `${text}\n${text}`, auto_fix: false });
  }
  for (const name of SCREENS) {
    await visit(page, name);
    await untouched(page, stage.origin);
  }
});

test('xss_in_the_address', { smoke: true }, async (t) => {
  const stage = await t.stage();
  const page = await t.window(stage);
  t.expect(page, /404|400|Failed to load resource/);
  await page.context().exposeBinding('pwn', () => { page.context().watched.problems.push('pwn() was called'); });
  for (const { text } of PAYLOADS.filter((_, at) => at % 9 === 0)) {
    for (const path of ['/chat/', '/history/', '/files?path=', '/?q=', '/api/v1/sessions/', '/#', '/chat?session=']) {
      await page.goto(stage.origin + path + encodeURIComponent(text)).catch(() => {});
      ensure(page.url().startsWith(stage.origin) || ['about:blank', 'chrome-error://chromewebdata/'].includes(page.url()), `the page went to ${page.url()}`);
    }
  }
});
