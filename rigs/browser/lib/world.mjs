// What a test may open, and that all of it is closed again.
//
// In: one browser for the whole run. Out: for each test a scope with stages and windows; at its end every window is
// asked whether its page did what it must not. Never shares a stage between tests.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, nothingSeen, openContext, signIn } from './browser.mjs';
import { openChat } from './chat.mjs';
import { Stage } from './stage.mjs';

export class World {
  constructor(shots) {
    this.shots = shots;
    mkdirSync(shots, { recursive: true });
  }

  browser() {
    this.launched ??= launch();
    return this.launched;
  }

  scope() {
    return new Scope(this);
  }

  async close() {
    await (await this.launched)?.close();
  }
}

class Scope {
  constructor(world) {
    this.world = world;
    this.notes = [];
    this.stages = [];
    this.contexts = [];
  }

  note(text) {
    this.notes.push(text);
  }

  async stage(options) {
    const stage = await Stage.open(options);
    this.stages.push(stage);
    return stage;
  }

  async window(stage, options) {
    const context = await openContext(await this.world.browser(), options);
    this.contexts.push(context);
    const page = await signIn(context, stage);
    return page;
  }

  /** A stage and a window that shows its chat. */
  async chat(options, windowOptions) {
    const stage = await this.stage(options);
    const page = await this.window(stage, windowOptions);
    await openChat(page);
    return { stage, page };
  }

  /** Lets a kind of problem pass, for the tests that cause it. */
  expect(page, ...patterns) {
    page.context().watched.allowed.push(...patterns);
  }

  async finish() {
    for (const context of this.contexts) nothingSeen(context);
  }

  async keepEvidence(name) {
    let at = 0;
    for (const context of this.contexts) {
      for (const page of context.pages()) {
        await page.screenshot({ path: join(this.world.shots, `failed-${name}-${at++}.png`), timeout: 5000 });
      }
    }
    for (const stage of this.stages) {
      // That it has no gateway is so in every test.
      const said = (stage.server?.said ?? '').replace(/^The gateway is not started.*$/gm, '').trim();
      if (said) this.note(`server: ${said.slice(-600)}`);
    }
  }

  async close() {
    for (const context of this.contexts) await context.close();
    for (const stage of this.stages) await stage.close();
  }
}
