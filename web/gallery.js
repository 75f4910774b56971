// The images of a turn: chosen, saved, made again.
//
// In: clicks on a gallery that the server drew. Out: one request each; the stream brings what became of it. Never draws
// an image itself.

import { byId, toast } from './page.js';
import { act, told } from './act.js';
import { openOver } from './chat.js';

const chosen = (gallery) => [...gallery.querySelectorAll('input[data-image]:checked')].map((box) => box.dataset.image);

// While a button waits, it cannot be pressed again.
async function once(button, work) {
  if (button.getAttribute('aria-disabled') === 'true') return;
  button.setAttribute('aria-disabled', 'true');
  try { await work(); } catch (error) { told(error); } finally { button.removeAttribute('aria-disabled'); }
}

const actions = {
  open(button) { openOver(byId(button.dataset.dialog)); },
  save(button) {
    return once(button, async () => {
      const gallery = button.closest('.gallery');
      const folder = gallery.querySelector('[name="folder"]').value;
      const answer = await act({ type: 'saveImages', images: chosen(gallery), folder });
      const files = answer.detail.files;
      toast(`Saved ${files.length === 1 ? '1 image' : `${files.length} images`}: ${files.join(', ')}`);
    });
  },
  redraw(button) {
    return once(button, async () => {
      const dialog = button.closest('dialog');
      const [prompt, refinement] = ['prompt', 'refinement'].map((name) => dialog.querySelector(`[name="${name}"]`).value);
      dialog.setAttribute('aria-busy', 'true');
      toast('Regenerating the image…');
      try {
        await act({ type: 'regenerate', image: dialog.dataset.image, prompt, refinement });
        if (dialog.open) dialog.close();
      } finally { dialog.removeAttribute('aria-busy'); }
    });
  },
};

document.addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-images]');
  if (button) actions[button.dataset.images]?.(button);
});

document.addEventListener('change', (event) => {
  const gallery = event.target.matches?.('input[data-image]') && event.target.closest('.gallery');
  if (gallery) act({ type: 'selectImages', turn: Number(gallery.dataset.turn), images: chosen(gallery) }).catch(told);
});
