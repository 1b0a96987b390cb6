import { expect, test } from 'vitest';
import { JournalPosition, journalNameOf, maxPositionChars, positionPattern } from './journal-position.ts';

test('a position is read as it was written, at any gateway', () => {
  const position = new JournalPosition();
  const [one, two] = [journalNameOf('01a'), journalNameOf('01b')];
  position.noteRead(one, 4_816);
  position.noteLostAfter(two, 902);
  expect(position.text).toBe(`1~${one}.4816~${two}.902l`);
  const read = JournalPosition.read(position.text);
  expect(read?.text).toBe(position.text);
  expect(read?.reachedIn(two)).toEqual({ number: 902, knowsLoss: true });
  read?.noteRead(two, 903); // the gateway with the journal `two` is back
  expect(read?.reachedIn(two)).toEqual({ number: 903, knowsLoss: false });
  read?.noteLostAfter(one, 7);
  expect(read?.reachedIn(one)).toEqual({ number: 4_816, knowsLoss: true });
});

test('a text that no gateway wrote is not a position', () => {
  const long = `1${'~AAAAAAAA.123456789012345'.repeat(170)}`;
  for (const text of ['', '1', '17', '2~AAAAAAAA.1', '1~AAAAAAAA.', '1~AAA/AAAA.1', '1~AAAAAAAA.1x', long])
    expect(JournalPosition.read(text)).toBeUndefined();
});

test('a position stays short however many gateways come and go, and includes the present ones', () => {
  const position = new JournalPosition();
  for (let run = 0; run < 300; run++)
    position.noteRead(journalNameOf(`${run}`), Number.MAX_SAFE_INTEGER % 1e15);
  const living = ['0', '150', '299'].map(journalNameOf);
  position.shorten((journal) => !living.includes(journal));
  expect(position.journals).toHaveLength(64);
  expect(position.journals).toEqual(expect.arrayContaining([...living, journalNameOf('298')]));
  expect(position.text.length).toBeLessThan(maxPositionChars);
  expect(position.text).toMatch(positionPattern);
});
