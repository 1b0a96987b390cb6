import { expect, onTestFinished, test } from 'vitest';
import { type DrawScreenOptions, drawScreen } from './drawn-screen.fixture.ts';
import { FakeSource } from './fake-source.fixture.ts';

/**
 * Tests troubles (things that are made to go wrong) that a user sets on the screen. A trouble is set for one payment,
 * or until the user takes it back.
 */

const first = 'V400m-347312390';
const keys = { enter: '\r', escape: '\x1b', backspace: '\x7f', down: '\x1b[B' };

async function setup(options: DrawScreenOptions = {}) {
  const source = new FakeSource();
  const screen = await drawScreen(source, options);
  onTestFinished(async () => {
    await screen.type('\x03');
  });
  return { source, screen };
}

test('keys set a trouble for the next payment or for every payment, and take it back', async () => {
  const { source, screen } = await setup();
  await screen.type('f');
  expect(screen.text).toContain('What goes wrong next on V400m-347312390, Café Zentral');
  expect(screen.text).toMatch(/▸ rejects every PIN +\( \) next +\( \) always/);
  await screen.type(keys.down, keys.enter);
  expect(screen.text).toMatch(/▸ never answers +\(●\) next +\( \) always/);
  expect(screen.lines[0]).toContain('faults');
  await screen.type('a');
  expect(screen.text).toMatch(/▸ never answers +\( \) next +\(●\) always/);
  await screen.type(keys.backspace);
  expect(screen.text).toMatch(/▸ never answers +\( \) next +\( \) always/);
  expect(screen.lines[0]).not.toContain('faults');
  expect(source.done).toEqual(
    ['once', 'always', undefined].map((mode) => ({ poiId: first, trouble: 'silent', mode })),
  );
});

test('the mouse does the same: a click sets a trouble, and another takes it back', async () => {
  const { source, screen } = await setup();
  await screen.click('f faults');
  const { y } = screen.find('fails at the approval');
  const row = screen.lines[y] ?? '';
  const at = { once: row.indexOf('( ) next'), always: row.indexOf('( ) always') };
  for (const x of [at.once, at.always, at.always])
    await screen.type(`\x1b[<0;${x + 2};${y + 1}M\x1b[<0;${x + 2};${y + 1}m`);
  expect(source.done).toEqual(
    ['once', 'always', undefined].map((mode) => ({ poiId: first, trouble: 'cut', mode })),
  );
  await screen.click('124  refusal');
  expect(screen.text).toContain('▸ 124  refusal: Not enough balance (210)');
});

test('a trouble that lasts until it is taken back cannot be set for one payment', async () => {
  const { source, screen } = await setup();
  await screen.type('f', keys.down, keys.down, keys.down, keys.enter);
  expect(source.done).toEqual([{ poiId: first, trouble: 'slow', mode: 'always' }]);
});

test('a digit lets so many requests pass, if the trouble supports that', async () => {
  const { source, screen } = await setup();
  await screen.type('f', '2');
  expect(screen.text).toContain('This failure can be set only for the next payment, not for a later payment');
  await screen.type(keys.down, keys.down, '3');
  expect(source.done).toEqual([{ poiId: first, trouble: 'cut', mode: 'once', after: 3 }]);
});

test('troubles that a test has set are listed first, and can be taken back', async () => {
  const { source, screen } = await setup();
  const troubles = [{ id: 'fault-7', text: 'dropAnswer /payment-requests/status', mode: 'once' }] as const;
  source.terminalList = source.terminalList.map((terminal) => ({ ...terminal, troubles }));
  source.changed();
  await screen.drawn();
  await screen.click('faults');
  expect(screen.text).toMatch(/Set by a test\n +▸ dropAnswer \/payment-requests\/status +\(●\) next/);
  await screen.type(keys.backspace);
  expect(source.done).toEqual([{ poiId: first, trouble: 'fault-7', mode: undefined }]);
});

test('a trouble that could not be set is reported', async () => {
  const { source, screen } = await setup();
  source.setTrouble = () => Promise.reject(new Error('the gateway does not answer'));
  await screen.type('f', keys.enter);
  expect(screen.text).toContain('the gateway does not answer');
});
