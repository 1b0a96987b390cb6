import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScenarioError } from '../environment/scenario-context.ts';
import { differences, explainDifference } from './match.ts';
import { StoredValues, type StoredValuesMode } from './stored-values.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stored-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, 'sale.stored.yaml');
const written = () => readFileSync(file(), 'utf8');

/** Checks `actual` once in a scenario, and returns the failure's message. */
function look(mode: StoredValuesMode, name: string, actual: unknown) {
  const values = new StoredValues(join(folder, 'sale.yaml'), mode);
  const wish = values.resolved({ body: { stored: name } });
  const text = differences(wish, { body: actual }).map(explainDifference).join('\n');
  if (mode === 'update') values.save();
  return text.replaceAll(folder, '');
}

test('a value that is not stored yet fails, and the message shows what would be stored', () => {
  expect(look('compare', 'result', { result: 'success' })).toBe(
    'body: there is no stored value "result" yet in /sale.stored.yaml; "pinpad run --update" stores this value:\n+ result: success',
  );
});

test('a stored value matches itself, and nothing more or less', () => {
  const result = { result: 'success', tip: 2, ways: ['icc'] };
  expect(look('update', 'result', result)).toBe('');
  expect(look('compare', 'result', result)).toBe('');
  expect(look('compare', 'result', { ...result, more: 1 })).toContain('+ more: 1');
  expect(look('compare', 'result', { result: 'success', ways: ['icc'] })).toContain('- tip: 2');
  expect(look('compare', 'result', { ...result, ways: ['icc', 'keyed'] })).toContain('+   - keyed');
});

test('text is compared line by line', () => {
  look('update', 'receipt', 'Corner Shop\nTotal 10.00\nThank you');
  expect(look('compare', 'receipt', 'Corner Shop\nTotal 11.00\nThank you')).toMatch(
    /\n {2}Corner Shop\n- Total 10\.00\n\+ Total 11\.00\n {2}Thank you$/,
  );
});

test('identifiers and times are stored like any text', () => {
  const [id, at] = ['019b78c9-0a80-7000-8000-0ab6c0ee9b5e', '2026-01-01T09:00:00.000Z'];
  look('update', 'result', { id, at, amount: 5 });
  expect(written()).toContain('result:\n  id:\n    a: string\n  at:\n    a: string\n  amount: 5\n');
});

test('an update keeps matchers that still match, comments, and parts that were not compared', () => {
  writeFileSync(
    file(),
    '# by hand\nother: 1\nresult: # of the sale\n  reference: { matches: "^[A-Z]+$" }\n  amount: { above: 9 }\n  state: open\n',
  );
  expect(look('compare', 'result', { reference: 'ABC', amount: 10, state: 'open' })).toBe('');
  expect(look('compare', 'result', { reference: 'ABC', amount: 5, state: 'open' })).toMatch(
    /- amount:\n- {3}above: 9\n\+ amount: 5\n/,
  );
  look('update', 'result', { reference: 'ABC', amount: 5, state: 'paid' });
  expect(written()).toMatch(/^# by hand\nother: 1\n/);
  expect(written()).toMatch(/reference:\n\s+matches: \^\[A-Z\]\+\$\n\s+amount: 5\n\s+state: paid\n/);
});

test('an update without changes writes nothing', () => {
  writeFileSync(file(), 'result:   {   amount: 5 }\n');
  look('update', 'result', { amount: 5 });
  expect(written()).toBe('result:   {   amount: 5 }\n');
});

test('with another seed values are not compared, but must exist', () => {
  expect(look('ignore', 'result', 'anything')).toBe('');
  expect(look('ignore', 'result', undefined)).toMatch(/expected something there/);
});

test.each([
  ['no YAML', 'a: [', /^\S*sale\.stored\.yaml cannot be read: Flow sequence/],
  ['an alias of nothing', 'a: *b', /^\S*sale\.stored\.yaml cannot be read: Unresolved alias/],
  ['a list', '- 1', /^\S*sale\.stored\.yaml cannot be read: the file must map each name to a value/],
])('a file that is %s is named', (_what, text, message) => {
  writeFileSync(file(), text);
  const opening = () => new StoredValues(join(folder, 'sale.yaml'), 'compare');
  expect(opening).toThrow(ScenarioError);
  expect(opening).toThrow(message);
});

test('an update that cannot be written leaves the stored values, and says so', () => {
  writeFileSync(file(), 'result: 1\n');
  mkdirSync(`${file()}.new`); // a folder with the name of the temporary file makes the update fail
  expect(() => look('update', 'result', 2)).toThrow(`cannot write ${file()}: it is a folder`);
  expect(written()).toBe('result: 1\n');
});

test('an update keeps a link, and the mode of its target', () => {
  const target = join(folder, 'elsewhere.yaml');
  writeFileSync(target, 'result: 1\n');
  chmodSync(target, 0o640);
  symlinkSync(target, file());
  look('update', 'result', 2);
  expect(readFileSync(target, 'utf8')).toBe('result: 2\n');
  expect(lstatSync(file()).isSymbolicLink()).toBe(true);
  expect(statSync(target).mode & 0o777).toBe(0o640);
});
