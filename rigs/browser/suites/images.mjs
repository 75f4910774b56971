// Images: a gallery with the same controls for one and for many, saved and made again.
//
// In: a model that draws. Out: the rows C-232, C-236, C-237, C-238, C-241, C-242. Never an image of anybody else.

import { ask, button } from '../lib/chat.mjs';
import { ensure, same, suite, until } from '../lib/runner.mjs';

const test = suite('images');
const PROMPTS = JSON.stringify(['a gear', 'a bolt', 'a cursed idol', 'a robot']);
const rules = [
  { when: { draws: true, contains: 'cursed' }, reply: { status: 400, body: { error: { message: 'not this one' } } } },
  { when: { draws: true }, reply: {} },
  { when: { contains: 'The request:' }, reply: { text: PROMPTS } },
  { reply: { text: JSON.stringify({ summary: 'In words.' }) } },
];
const drawing = { rules, model: { image: true } };

test('c236_a_gallery_selects_and_saves', { smoke: true }, async (t) => {
  const { stage, page } = await t.chat(drawing);
  const turn = await ask(page, 'draw a lighthouse at dusk');
  await turn.getByRole('heading', { name: '🎨 Generated Images (1)' }).waitFor();
  ensure((await turn.innerText()).includes('Hover to enlarge • Click to view full size'), 'the hint');
  const image = turn.getByRole('img');
  await until('the image is there', async () => image.evaluate((node) => node.complete && node.naturalWidth > 0));
  await turn.getByRole('checkbox', { name: 'Select image 1' }).check();
  await turn.getByRole('textbox', { name: 'Folder' }).fill('art');
  await button(turn, '💾 Save Selected').click();
  await until('it is saved', async () => (await turn.innerText()).includes('art/image-001.png'));
  ensure(stage.read('art/image-001.png').includes('PNG'), 'a file of that kind');
  await page.reload();
  ensure(await page.getByRole('checkbox', { name: 'Select image 1' }).isChecked(), 'the choice is kept');
});

test('c242_one_of_four_fails_and_is_made_again_in_its_place', {}, async (t) => {
  const { page } = await t.chat(drawing);
  const turn = await ask(page, 'generate 4 images of machines');
  await turn.getByRole('heading', { name: '🎨 Generated Images (3)' }).waitFor();
  same(await turn.getByRole('img').count(), 3, 'images');
  await turn.getByRole('button', { name: 'Retry image 3' }).click();
  const popup = page.getByRole('dialog', { name: '🔄 Regenerate Image' });
  same(await popup.getByRole('textbox', { name: 'Original Prompt:' }).inputValue(), 'a cursed idol', 'the prompt');
  await popup.getByRole('textbox', { name: 'Original Prompt:' }).fill('a friendly idol');
  await popup.getByRole('textbox', { name: /Edit the prompt above/ }).fill('darker');
  await popup.getByRole('button', { name: '🎨 Regenerate' }).click();
  await turn.getByRole('heading', { name: '🎨 Generated Images (4)' }).waitFor();
  ensure(await turn.getByRole('img', { name: 'Image 3: a friendly idol, darker' }).count() === 1, 'in its place');
});

test('c237_cancel_changes_nothing', {}, async (t) => {
  const { page } = await t.chat(drawing);
  const turn = await ask(page, 'draw a lighthouse at dusk');
  const source = await turn.getByRole('img').getAttribute('src');
  await turn.getByRole('button', { name: 'Regenerate image 1' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  same(await turn.getByRole('img').getAttribute('src'), source, 'the image');
});

test('c232_what_is_not_plain_is_asked_about', {}, async (t) => {
  const { page } = await t.chat(drawing);
  const turn = await ask(page, 'draw a diagram of the architecture');
  await turn.getByRole('group', { name: 'Images?' }).waitFor();
  await button(turn, 'Answer in words').click();
  await until('it is answered in words', async () => (await turn.innerText()).includes('In words.'));
  same(await turn.getByRole('img').count(), 0, 'images');
});
