import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runStory } from '../run/run-story.ts';
import { loadStories } from './load-story.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stories-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** The faults of a story, without the folder. */
function faultsOf(text: string): string {
  try {
    loadStories(write('story.yaml', text));
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, '');
  }
  return 'none';
}

test('vars and rows of examples are filled in, a row before vars', () => {
  const stories = loadStories(
    write(
      'story.yaml',
      'name: <what> for <amount>\nvars: { amount: 5, what: Tea }\nexamples:\n  - { what: Cake }\n  - { amount: 7.5 }\nsteps:\n  - pay: <amount>\n    reference: <what> no. 1\n',
    ),
  );
  expect(stories.map(({ name }) => name)).toEqual(['Cake for 5', 'Tea for 7.5']);
  expect(stories.map(({ steps: [step] }) => step && 'fields' in step && step.fields)).toEqual([
    { pay: 5, reference: 'Cake no. 1' },
    { pay: 7.5, reference: 'Tea no. 1' },
  ]);
});

test.each([
  [
    'a name that nobody says, with those there are',
    'name: A\nvars: { amount: 5 }\nsteps:\n  - pay: <amuont>\n',
    'story.yaml:4:5: nobody says what <amuont> is; known: <amount>',
  ],
  [
    'a row that lacks a column',
    'name: A\nexamples:\n  - { amount: 5, card: phone }\n  - { amount: 6 }\nsteps:\n  - pay: <amount>\n  - tap: <card>\n',
    'story.yaml:7:5: nobody says what <card> is in row 2 of the examples; known: <amount>',
  ],
  [
    'a name in the needs',
    'name: A\nneeds: { currency: <money> }\nsteps:\n  - cancel\n',
    'story.yaml:2:8: nobody says what <money> is; known: none (vars, examples, with)',
  ],
  [
    "a name in the story's name",
    'name: A sale of <amuont>\nvars: { amount: 5 }\nsteps:\n  - pay: <amount>\n',
    'story.yaml:1:7: nobody says what <amuont> is; known: <amount>',
  ],
  [
    'a name of the play where nothing is played yet',
    'name: The payment <sale.id>\nneeds: { store: { name: <terminal.id> } }\nsteps:\n  - cancel\n',
    'story.yaml:1:7: nobody says what <sale.id> is; known: none (vars, examples, with)\nstory.yaml:2:8: nobody says what <terminal.id> is; known: none (vars, examples, with)',
  ],
  [
    'what is no amount',
    'name: A\nsteps:\n  - pay: { amount: 5 }\n  - refund: ten\n  - pay again: sale\n    amount: []\n',
    [
      'story.yaml:3:10: pay: must be an amount in major units such as 12.50',
      'story.yaml:4:13: refund: must be an amount in major units such as 12.50',
      'story.yaml:6:13: amount: must be an amount in major units such as 12.50',
    ].join('\n'),
  ],
  [
    'a value that does not fit, at its own place',
    'name: A\nexamples:\n  - { card: 5 }\nsteps:\n  - tap: <card>\n',
    /story\.yaml:5:10: tap: Invalid input: expected string/,
  ],
  [
    'a file that includes itself',
    'name: A\nsteps:\n  - include: loop.steps.yaml\n',
    'loop.steps.yaml:2:5: loop.steps.yaml includes itself',
  ],
  [
    'a value given to an include that has no use for it',
    'name: A\nsteps:\n  - include: pay.steps.yaml\n    with: { amount: 5, tip: 1 }\n',
    'story.yaml:3:5: pay.steps.yaml has no <tip>',
  ],
  [
    'a step of an included file, there',
    'name: A\nsteps:\n  - include: wrong.steps.yaml\n',
    /^wrong\.steps\.yaml:3:5: jump is no step; steps are: pay, /,
  ],
  ['code', 'name: A\nsteps:\n  - if: true\n    then: [cancel]\n', /story\.yaml:3:5: if, then is no step/],
  [
    'a table without rows',
    'name: A\nexamples: []\nsteps: [cancel]\n',
    /story\.yaml:2:11: examples: Too small/,
  ],
  ['text that is no YAML', 'name: A\nsteps: [\n', /^story\.yaml:\d+:\d+: /],
])('%s is told with file, line and column', (_what, text, told) => {
  write('loop.steps.yaml', 'steps:\n  - include: loop.steps.yaml\n');
  write('pay.steps.yaml', 'steps:\n  - pay: <amount>\n');
  write('wrong.steps.yaml', 'steps:\n  - cancel\n  - jump: 1\n');
  if (typeof told === 'string') expect(faultsOf(text)).toBe(told);
  else expect(faultsOf(text)).toMatch(told);
});

test('all that is wrong is told at once', () => {
  expect(faultsOf('name: A\nsteps:\n  - jump: 1\n  - pay: <x>\n  - tap: 5\n').split('\n')).toHaveLength(3);
});

test('a name of the play that is not there fails its step, with those there are', async () => {
  const [story] = loadStories(
    write('story.yaml', 'name: A\nsteps:\n  - pay: 5\n    as: sale\n  - abort: { key: <sole.id> }\n'),
  );
  if (!story) throw new Error('there is no story');
  const { failure } = await runStory(story);
  expect(failure?.at.line).toBe(5);
  expect(failure?.message).toBe('<sole.id> is not there; there are: sale, terminal, terminals.terminal-1');
});
