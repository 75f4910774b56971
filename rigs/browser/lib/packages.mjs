// The packages of the registry that the tests need, from the folder where the rig installed them.
//
// In: BROWSER_PACKAGES, a folder with `node_modules`. Out: Playwright's chromium and axe's source text.
// Never a package of the machine: versions are those of the lock file.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const folder = process.env.BROWSER_PACKAGES;
if (!folder) throw new Error('BROWSER_PACKAGES is not set; `cargo xtask browser` sets it');
const require = createRequire(join(folder, 'index.js'));

export const { chromium } = require('playwright-core');
export const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
