// The API against its own document, by somebody else's tester.
//
// In: SCHEMATHESIS, the program. Out: no fault of the server, no answer that the document does not name. Never the stream
// of events, which does not end.

import { spawn } from 'node:child_process';
import { Api } from '../lib/api.mjs';
import { ensure, suite } from '../lib/runner.mjs';

const test = suite('schema');
const CHECKS = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance', 'response_headers_conformance'];

test('schema_answers_are_those_of_the_document', { seconds: 420 }, async (t) => {
  ensure(process.env.SCHEMATHESIS, 'schemathesis could not be installed');
  const stage = await t.stage();
  const api = await Api.signIn(stage);
  await api.post('/api/v1/sessions', {});
  const headers = Object.entries(api.headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
  const { code, out } = await run(process.env.SCHEMATHESIS, ['run', `${stage.origin}/api/v1/openapi.json`, ...headers,
    '--checks', CHECKS.join(','), '--max-examples', '30', '--seed', '7', '--request-timeout', '10', '--exclude-path', '/api/v1/events', '--phases', 'examples,coverage,fuzzing'], stage.folder);
  const figures = out.split('\n').filter((line) => /Operations:|Test cases:|Tested:|generated/.test(line)).map((line) => line.trim());
  t.note(figures.join(' ').slice(0, 200));
  ensure(code === 0, out.split('\n').slice(-80).join('\n'));
});

function run(program, words, cwd) {
  const child = spawn(program, words, { cwd, env: { ...process.env, NO_COLOR: '1', COLUMNS: '160' } });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { out += data; });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })));
}
