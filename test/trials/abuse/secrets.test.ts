import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeSeededRandom } from '../../../shared/random.ts';
import { testThoroughly } from '../../optional-programs.ts';
import { CardNumbers, cardNumberPattern } from './card-numbers.ts';
import { findSecrets } from './secrets.ts';

const testInCi = testThoroughly();

function file(...parts: (string | Buffer)[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const name = join(folder, 'log');
  writeFileSync(name, Buffer.concat(parts.map((part) => Buffer.from(part))));
  return name;
}

test('a card number is found among twenty thousand texts, however it is written and wherever it is', () => {
  const numbers = new CardNumbers(makeSeededRandom(1));
  for (let count = 0; count < 20_000; count++) numbers.make();
  const texts = numbers.nowhere;
  expect(texts.filter((text) => !new RegExp(`^${cardNumberPattern.source}$`).test(text))).toEqual([]);
  const spelled = [/^\d+$/, /^\d{4}-/, /^\d{4} /].map((like) => texts.find((text) => like.test(text)));
  for (const text of spelled) {
    const log = file(`{"at":1795381292016,"message":"12`, text as string, `7"}\n`);
    expect(findSecrets([{ what: 'it', texts, files: [log], shape: cardNumberPattern }])).toMatchObject([
      { rule: 'it stands in no file', detail: expect.stringContaining(text as string) },
    ]);
  }
  const other = file('4111 1111 1111 1111, 4111-1111-1111-1111');
  expect(findSecrets([{ what: 'it', texts, files: [other], shape: cardNumberPattern }])).toEqual([]);
});

testInCi('a text is found in a file that is read in pieces', () => {
  const secret = 'whsec_of-the-receiver';
  const piece = 16 * 1024 * 1024;
  for (const before of [0, piece - 10, piece - 1, piece, 2 * piece - 10]) {
    const log = file(Buffer.alloc(before, 'x'), secret, Buffer.alloc(10));
    expect(findSecrets([{ what: 'it', texts: [secret], files: [log] }]), `${before}`).toHaveLength(1);
  }
});
