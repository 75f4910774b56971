// The sample project of the tests, and what the scripted model says to each request.
//
// In: nothing. Out: files, and rules for `salve sim` that are chosen by words of the request. Never a rule that
// depends on the order of the tests.

export const LIMIT = `LIMIT = 5


def allowed(count):
    return count <= LIMIT


def middle(values):
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def mean(values):
    return sum(values) / len(values)


def last(values):
    return values[-1]
`;
export const LIMIT_AFTER = LIMIT.replace('LIMIT = 5', 'LIMIT = 7').replace('return values[-1]', 'return values[-1] if values else None');
export const NOTES = "NOTE = 'five'\n";
export const NOTES_AFTER = "NOTE = 'seven'\n";

export const FILES = { 'limit.py': LIMIT, 'notes.py': NOTES, 'README.md': '# Sample\n\nLimits and notes.\n' };

/** The request with everything in its answer. */
export const FULL = 'full: raise the limit in limit.py to 7 and say so in notes.py';

export const answer = (fields) => ({
  summary: '', sections: [], todos: [], fileChanges: [], commands: [], nextSteps: [], ...fields,
});

export const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 1));

/** A rule that answers requests which contain these words. */
export const rule = (contains, value, more = {}, times) => ({
  when: { contains }, ...(times ? { times } : {}), reply: { text: text(value), ...more },
});

export const STEPS = ['Run the tests', '🚀 Write the docs', 'Add a changelog line', 'Rename the module', 'Remove the notes'];

export const full = answer({
  summary: 'Raises the limit to 7 and says so in the notes, so that larger orders pass the check without a question.',
  sections: [
    { heading: 'What changes', content: 'The limit is a constant:\n\n```python\nLIMIT = 7\n```\n\nNothing else reads it.' },
    { heading: 'Why seven', content: 'A **table**:\n\n| old | new |\n|---|---|\n| 5 | 7 |\n' },
  ],
  todos: [
    { text: 'Raise the limit', completed: false },
    { text: 'Say so in the notes', completed: false },
    { text: 'Tell the team', completed: true },
  ],
  fileChanges: [
    { path: 'limit.py', content: LIMIT_AFTER, todoIndex: 0 },
    { path: 'notes.py', content: NOTES_AFTER, todoIndex: 1 },
  ],
  commands: [{ command: 'ls', description: 'shows the files' }],
  nextSteps: STEPS.map((step) => ({ html: step, inputText: `please: ${step.toLowerCase()}` })),
});

const change = (path, content, more = {}) => ({ path, content, ...more });
const prose = (paragraphs) => Array.from({ length: paragraphs }, (_, at) =>
  `Paragraph ${at + 1} of the report tells what was seen, in words that are long enough to wrap on a narrow screen.`).join('\n\n');

const one = (fields) => answer({ summary: 'Raises the limit to 7.', fileChanges: [change('limit.py', LIMIT_AFTER)], ...fields });
const command = (line) => ({ command: line, description: 'a step' });

const recovered = '{"summary": "Added type hints docstring to factorial function...", "todos": ['
  + Array.from({ length: 8 }, (_, at) => `{"text": "Task ${at + 1}", "completed": false}`).join(', ')
  + '], "commands": [{"command": "python docs/handoff_test.py"}], "nextSteps": [{"html": "Go on", "inputText": "go on"}], "sections": [{"heading": "Half", "cont';

const three = text(answer({ summary: 'Three files.', fileChanges: ['a', 'b', 'c'].map((name, at) => change(`${name}.py`, `${name.toUpperCase()} = ${at}\n`)) }));

/** Cut in the last of three changes, and again whenever the rest is asked for. */
export const CUT_FOR_GOOD = [{ reply: { text: three, cut_at: three.indexOf('c.py') + 24 } }];

export const RULES = [
  // What a turn asks after by itself, before the cases: these words come from Salve.
  rule('Commands that are left', { action: 'continue', why: 'Directory created. Continue.' }),
  rule('I ran the command', answer({ summary: 'I have read the output.' })),
  rule('full:', full),
  rule('one:', one()),
  rule('slow:', one({ sections: [{ heading: 'Slow', content: prose(12) }] }), { chunk: 48, delay_ms: 60 }),
  rule('long:', answer({ summary: 'A long report that is over at once.', sections: [{ heading: 'Report', content: prose(60) }], nextSteps: full.nextSteps })),
  rule('recovered:', recovered, { finish: 'stop' }),
  rule('nothing:', '{"', { finish: 'stop' }),
  rule('chatty:', `Sure! Here is what you asked for:\n\n\`\`\`json\n${text(one())}\n\`\`\`\n\nLet me know if you need anything else!`),
  rule('stale:', one({ fileHashes: { 'limit.py': '0123456789abcdef' } })),
  rule('were not applied', one({ summary: 'Still the old hash.', fileHashes: { 'limit.py': '0123456789abcdef' } })),
  rule('outside:', answer({ summary: 'Writes outside.', fileChanges: [change('../outside.py', 'X = 1\n')] })),
  rule('merged:', answer({ summary: 'A diff whose lines are merged.', fileChanges: [{ path: 'limit.py', diff: '--- a/limit.py\n+++ b/limit.py\n@@ -4,2 +4,2 @@\n-def allowed(countt+def allowed(count: int) -> bool:\n     return count <= LIMIT\n' }] })),
  rule('same:', answer({ summary: 'Nothing to do.', fileChanges: [change('limit.py', LIMIT)] })),
  rule('create:', answer({ summary: 'A new file.', fileChanges: [change('fresh.py', 'FRESH = 1\n')] })),
  rule('remove:', answer({ summary: 'Removes the notes.', fileChanges: [{ path: 'notes.py', operation: 'delete' }] })),
  rule('third first:', answer({
    summary: 'Three tasks, three files.',
    todos: ['First', 'Second', 'Third'].map((name) => ({ text: `${name} task`, completed: false })),
    fileChanges: ['one', 'two', 'three'].map((name, at) => change(`${name}.py`, `N = ${at}\n`, { todoIndex: at })),
  })),
  rule('out of range:', one({ todos: [{ text: 'The only task', completed: false }], fileChanges: [change('limit.py', LIMIT_AFTER, { todoIndex: 9 })] })),
  rule('many commands:', answer({ summary: 'Eleven commands.', commands: Array.from({ length: 11 }, (_, at) => command(`ls -${'a'.repeat(at + 1)}`)) })),
  rule('a failing command:', answer({ summary: 'One that fails.', commands: [command('ls'), command('cat missing.txt'), command('pwd')] })),
  rule('single command:', answer({ summary: 'One command.', commands: [command('ls')] })),
  rule('unlisted:', answer({ summary: 'A command that is on no list.', commands: [command('git push origin main')] })),
  rule('marked:', answer({ summary: 'Try this.', sections: [{ heading: 'Run', content: 'Look first:\n\n🖥️ `ls -la`\n' }] })),
  rule('legacy:', answer({ summary: 'Steps as plain words.', nextSteps: ['Run the tests'] })),
  rule('three steps:', answer({
    summary: 'The first of three steps.',
    todos: ['Add the model', 'Add the route', 'Add the docs'].map((name) => ({ text: name, completed: false })),
    fileChanges: [change('model.py', 'MODEL = 1\n', { todoIndex: 0 })],
  })),
  rule('question:', answer({ summary: 'Which limit do you mean, the upper or the lower one?' })),
  rule('broken:', answer({ summary: 'Breaks the file.', fileChanges: [change('limit.py', LIMIT.replace('def allowed(count):', 'def allowed(count)'))] })),
  { when: { contains: 'refused:' }, reply: { status: 400 } },
  rule('hangs:', one(), { chunk: 64, hang_ms: 600_000, hang_at: 3 }),
  rule('secret steps:', answer({ summary: 'Markup in a step.', nextSteps: [{ html: '<script>window.pwned=1</script><b>bold</b>', inputText: 'x' }] })),
  // A rule that continues is chosen by any request of the conversation, so these are the last.
  rule('stream:', answer({ summary: 'A long report.', sections: [{ heading: 'Report', content: prose(60) }] }), { chunk: 96, delay_ms: 25, continues: true }),
  rule('cut:', one(), { continues: true, cuts: [150] }),
  { reply: { text: text(answer({ summary: 'I am a script; I have nothing to say to that.' })) } },
];
