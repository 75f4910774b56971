// Runs the tests of the workbench: `node run.mjs [--smoke | --speed | --only NAME] [--jobs 2] [--show] [--list]`.
//
// In: SALVE (the program), BROWSER_PACKAGES, BROWSER_SHOTS, BROWSER_OUTCOME; what to run. Out: a line per test, a table,
// and a report as JSON for the rig. Never decides what a skip is: the rig looked for the tools before.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parts, run } from './lib/runner.mjs';
import { World } from './lib/world.mjs';

const SUITES = ['contract', 'send', 'stream', 'review', 'todos', 'summary_bar', 'images', 'commands', 'recovery', 'history', 'handoff',
  'steps', 'files', 'audit', 'screens', 'resume', 'axe', 'keyboard', 'forged', 'xss', 'story', 'schema', 'shots', 'speed'];
for (const name of SUITES) await import(`./suites/${name}.mjs`);

const { values } = parseArgs({ options: {
  smoke: { type: 'boolean' }, speed: { type: 'boolean' }, only: { type: 'string' }, show: { type: 'boolean' }, jobs: { type: 'string' }, list: { type: 'boolean' },
} });
if (values.list) {
  console.log(parts().join('\n'));
  process.exit(0);
}
const world = new World(process.env.BROWSER_SHOTS ?? 'target/browser');
const choice = { ...values, part: values.speed ? 'speed' : undefined };
const results = await run(choice, world, (line) => console.log(line)).finally(() => world.close());
const failed = results.filter((one) => one.problem);
const table = {};
for (const { part, problem, seconds } of results) {
  table[part] ??= { tests: 0, failed: 0, seconds: 0 };
  table[part].tests += 1;
  table[part].failed += problem ? 1 : 0;
  table[part].seconds += seconds;
}
console.log(`\n${'part'.padEnd(14)} ${'tests'.padStart(6)} ${'failed'.padStart(7)} ${'seconds'.padStart(8)}`);
for (const [part, row] of Object.entries(table)) {
  console.log(`${part.padEnd(14)} ${String(row.tests).padStart(6)} ${String(row.failed).padStart(7)} ${row.seconds.toFixed(1).padStart(8)}`);
}
if (process.env.BROWSER_OUTCOME) writeFileSync(process.env.BROWSER_OUTCOME, JSON.stringify({ tests: results.length, failed: failed.map((one) => one.name), results }));
process.exitCode = failed.length ? 1 : 0;
