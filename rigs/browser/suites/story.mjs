// The story in one sitting: everything that Salve is for, on one small project.
//
// In: a model that is cut, talks too much, edits what it has not seen and writes code that does not compile. Out: each
// healed or blocked as a person sees it, and at the end a rewind after which the tree is what it was. Never a fresh
// start in between.

import { ask, button, over, send, visit } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';
import { FILES, LIMIT, LIMIT_AFTER, RULES, answer, rule } from '../lib/answers.mjs';

const test = suite('story');
const WORD = `#include <ctype.h>

int longest_word(const char *text)
{
    int best = 0, now = 0;
    for (; *text; text++) {
        now = isspace((unsigned char)*text) ? 0 : now + 1;
        if (now > best)
            best = now;
    }
    return best;
}
`;
const WORD_AFTER = WORD.replace('int longest_word', '/* Letters between two spaces. */\nint longest_word');
const files = { ...FILES, Makefile: 'check:\n\t@$(CC) -Wall -fsyntax-only word.c\n', 'word.c': WORD };

test('story_cut_chatty_stale_broken_and_rewound', { smoke: true, seconds: 180 }, async (t) => {
  const rules = [
    rule('were not applied', answer({ summary: 'Still from an old copy.', fileChanges: [{ path: 'limit.py', content: LIMIT.replace('LIMIT = 5', 'LIMIT = 9') }], fileHashes: { 'limit.py': '0123456789abcdef' } })),
    rule('breaks it:', answer({ summary: 'Says what a word is.', fileChanges: [{ path: 'word.c', content: WORD_AFTER.replace('best = now;', 'best = nwo;') }] })),
    rule('talks:', `Of course! I would be happy to help.\n\n\`\`\`json\n${JSON.stringify(answer({ summary: 'Says seven in the notes.', fileChanges: [{ path: 'notes.py', content: "NOTE = 'seven'\n" }] }))}\n\`\`\`\n\nI hope this helps!`),
    rule('stale:', answer({ summary: 'From an old copy.', fileChanges: [{ path: 'limit.py', content: LIMIT.replace('LIMIT = 5', 'LIMIT = 9') }], fileHashes: { 'limit.py': '0123456789abcdef' } })),
    ...RULES,
  ];
  const { stage, page } = await t.chat({ files, rules, settings: 'auto_apply_files = true\n' });
  const begin = stage.tree();

  const cut = await ask(page, 'cut: raise the limit in limit.py', 60);
  ensure(/✓ Done/.test(await cut.innerText()), `cut: ${await cut.innerText()}`);
  same(stage.read('limit.py'), LIMIT_AFTER, 'limit.py after the cut answer was continued');

  const chatty = await ask(page, 'talks: say so in notes.py', 60);
  same(stage.read('notes.py'), "NOTE = 'seven'\n", 'notes.py after the chatty answer');
  ensure(!(await chatty.innerText()).includes('I hope this helps'), 'the chatter is set aside');

  const stale = await ask(page, 'stale: raise the limit in limit.py', 60);
  ensure(/🚫 Blocked/.test(await stale.innerText()), `stale: ${await stale.innerText()}`);
  same(stage.read('limit.py'), LIMIT_AFTER, 'limit.py after the stale edit');

  const turn = await send(page, 'breaks it: say in word.c what a word is');
  const healed = await over(turn, 90);
  ensure(/heal/i.test(healed), `the heal is told: ${healed}`);
  same(stage.read('word.c'), WORD_AFTER, 'word.c after the heal');

  await visit(page, 'Home');
  const home = await page.getByRole('main').innerText();
  ensure(/healed/i.test(home) && /blocked/i.test(home), home.slice(0, 400));

  await visit(page, 'History');
  for (let steps = 0; steps < 8 && JSON.stringify(stage.tree()) !== JSON.stringify(begin); steps += 1) {
    const before = JSON.stringify(stage.tree());
    await button(page, 'Rewind').first().click();
    await page.waitForTimeout(150);
    const dialog = page.getByRole('dialog');
    if (await dialog.count() && await dialog.first().isVisible()) await button(dialog, /^(Rewind|Rewind files|Files|Both)/).first().click();
    await until('a step back', () => JSON.stringify(stage.tree()) !== before);
  }
  same(stage.tree(), begin, 'the tree at the end');
  same(stage.read('limit.py'), LIMIT, 'limit.py');
});

test('story_the_practice_model_tells_it_too', { seconds: 120 }, async (t) => {
  const { page } = await t.chat({ model: null, files: {} });
  for (const words of ['add a discount to price.py', 'continue']) {
    const turn = await ask(page, words, 60);
    ensure(/practice model/.test(await turn.innerText()), await turn.innerText());
  }
});
