import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { languages } from '../shared/emulator/screen.ts';
import { journalLimitsSchema } from '../shared/journal.ts';
import { errorConditions, paymentBrands, toLowerCamel } from '../shared/nexo/enums.ts';

/** Compares the lists and numbers in docs/behaviour.md with those in the code. */

const page = readFileSync(join(import.meta.dirname, '../docs/behaviour.md'), 'utf8');

const lineOf = (row: string) => page.split('\n').find((text) => text.startsWith(`| ${row} |`)) ?? '';

function listIn(row: string, sentence: RegExp): string[] {
  return (sentence.exec(lineOf(row))?.[1] ?? '').replaceAll('`', '').split(/, | and /);
}

test('the list of brands is that of the service (B15)', () => {
  expect(listIn('B15', /two or more of ([^.]+)\./)).toEqual([...paymentBrands]);
});

test('the list of languages is that of screens, receipts and pages (B20)', () => {
  expect(listIn('B20', /exist in ([^;]+);/).toSorted()).toEqual(languages.toSorted());
});

test('the list of error conditions is complete, in the spelling of the API (B34)', () => {
  expect(listIn('B34', /in lowerCamel: ([^.]+)\./)).toEqual(errorConditions.map(toLowerCamel));
});

test('the default sizes of the journal are as listed (B125)', () => {
  const sizes = /keeps ([\d ]+) entries and (\d+) MB\. .*: ([\d ]+) entries without bodies/.exec(
    lineOf('B125'),
  );
  const [entries, megabytes, unauthenticatedEntries] = (sizes ?? [])
    .slice(1)
    .map((text) => Number(text.replaceAll(' ', '')));
  const documented = { entries, bytes: (megabytes ?? 0) * 1_000_000, unauthenticatedEntries };
  expect(documented).toEqual(journalLimitsSchema.parse({}));
});
