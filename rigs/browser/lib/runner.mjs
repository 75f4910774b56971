// A list of tests, and running them.
//
// In: `test(name, options, body)` calls of the suites. Out: a line per test, and at the end a report. Never goes
// on for ever: a test has a time limit, and what it opened is closed whether it passed or not.

const tests = [];

/** Names of the parts, in the order of their suites. */
export const parts = () => [...new Set(tests.map((one) => one.part))];

/** Returns `test` for the suites of a part. `smoke: true` puts a test into the short form too. */
export const suite = (part) => (name, options, body) => {
  if (tests.some((one) => one.name === name)) throw new Error(`two tests are called ${name}`);
  tests.push({ part, name, smoke: false, seconds: 120, ...options, body });
};

/** A condition that must hold; the message says what was expected and what there is. */
export function ensure(condition, message) {
  if (!condition) throw new Error(message);
}

/** Two values that must be equal as JSON. */
export function same(found, wanted, what = 'value') {
  const [left, right] = [JSON.stringify(found), JSON.stringify(wanted)];
  ensure(left === right, `${what}: found ${left}, wanted ${right}`);
}

/** Asks again until a condition holds; the last error or answer is the reason when it never does. */
export async function until(what, ask, { seconds = 30, every = 50 } = {}) {
  const end = Date.now() + seconds * 1000;
  let last;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = JSON.stringify(answer);
    } catch (error) {
      last = error.message;
    }
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s; last: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}

function chosen({ only, part, smoke }) {
  if (only) {
    const found = tests.filter((one) => one.part === only || one.name.includes(only));
    ensure(found.length > 0, `there is no part or test ${only}; parts are ${parts().join(', ')}`);
    return found;
  }
  if (smoke) return tests.filter((one) => one.smoke);
  return tests.filter((one) => (part ? one.part === part : one.part !== 'speed'));
}

/** Runs the chosen tests, some at a time; returns how they ended, in the order of the suites. */
export async function run(choice, world, print) {
  const left = chosen(choice).map((one, at) => ({ one, at }));
  const results = [];
  // What is measured is measured alone.
  const workers = choice.part === 'speed' ? 1 : Number(choice.jobs ?? 2);
  await Promise.all(Array.from({ length: workers }, async () => {
    for (let next; (next = left.shift());) results[next.at] = { ...await single(next.one, choice, world, print), one: next.one };
  }));
  if (choice.smoke) await again(results, choice, world, print);
  return results.map(({ one, ...result }) => result);
}

// On a machine that builds at the same time a limit can be missed. What failed in the short form is tried once more, alone,
// and said to be; what fails twice has failed.
async function again(results, choice, world, print) {
  for (const [at, { one, problem }] of results.entries()) {
    if (!problem) continue;
    print(`  ${one.name} is tried once more, alone`);
    results[at] = { ...await single(one, choice, world, print), one };
    if (!results[at].problem) results[at].notes.push(`at the second try; the first: ${problem.split('\n')[0]}`);
  }
}

async function single(one, choice, world, print) {
  const begin = Date.now();
  const scope = world.scope(one);
  let problem = null;
  try {
    await limited(one, one.body(scope));
    await scope.finish();
  } catch (error) {
    problem = error;
    await scope.keepEvidence(one.name).catch(() => {});
  }
  await scope.close().catch((error) => { problem ??= error; });
  const seconds = (Date.now() - begin) / 1000;
  const mark = problem ? '✗' : '✓';
  print(`${mark} ${one.name} (${seconds.toFixed(1)} s)${scope.notes.length ? ': ' + scope.notes.join('; ') : ''}`);
  if (problem) print('    ' + words(problem, choice.show).split('\n').join('\n    '));
  return { name: one.name, part: one.part, seconds, notes: scope.notes, problem: problem && words(problem, choice.show) };
}

function words(error, show) {
  const text = (show && error.stack) || error.message || String(error);
  // Playwright colours its messages.
  return text.replace(/\u001b\[\d+m/g, '').split('\n').slice(0, show ? 60 : 14).join('\n');
}

function limited(one, promise) {
  let timer;
  const limit = new Promise((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(`not done after ${one.seconds} s`)), one.seconds * 1000);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
