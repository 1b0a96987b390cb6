import { expect, test } from 'vitest';
import { drawScreen } from './drawn-screen.fixture.ts';
import { FakeSource, fakeScreen } from './fake-source.fixture.ts';

/** Tests what the screen shows about terminals that are not in view (B268). */

async function setup(count: number, size = { columns: 80, rows: 24 }) {
  const source = new FakeSource(Array.from({ length: count }, (_, index) => `Shop ${index + 1}`));
  const screen = await drawScreen(source, size);
  const ask = async (index: number) => {
    source.screens.set(`V400m-34731239${index}`, fakeScreen('pin'));
    source.changed();
    await screen.drawn();
  };
  return { source, screen, ask };
}

test('a terminal that asks for something is announced, and g goes to it', async () => {
  const { screen, ask } = await setup(10);
  await ask(8);
  expect(screen.lines[22]).toContain('? V400m-347312398: Enter PIN (g shows it)');
  await ask(9);
  expect(screen.lines[22]).toContain('? V400m-347312398: Enter PIN, and 1 more (g shows it)');
  await screen.click('Enter PIN, and 1 more');
  expect(screen.lines[0]).toMatch(/\[F9 V\S+8 \?\]/);
});

test('if the terminal in view asks for something too, both are shown', async () => {
  const { source, screen, ask } = await setup(3);
  source.show('presentCard');
  await ask(1);
  expect(screen.lines[22]).toContain('t taps or i inserts the selected card');
  expect(screen.lines[22]).toContain('? 1 more asking (g)');
});

test('the terminal in view is not announced', async () => {
  const { source, screen } = await setup(3);
  source.show('pin');
  await screen.drawn();
  expect(screen.lines[22]).not.toContain('asking');
});

test('the key g lists the terminals with their screens, and finds one by name, store or screen', async () => {
  const { screen, ask } = await setup(10);
  await ask(7);
  await screen.type('g');
  expect(screen.text).toMatch(/\? +V400m-347312397 +Enter PIN €51\.09 +Shop 8/);
  await screen.type(...'enter pin');
  expect(screen.lines[1]).toContain('/enter pin');
  expect(screen.lines[1]).toContain('1 of 10');
  await screen.type('\r');
  expect(screen.lines[0]).toMatch(/\[F8 /);
  await screen.type('g', ...'shop 3', '\r');
  expect(screen.lines[0]).toMatch(/\[F3 /);
  await screen.type('g', '\x1b[B', '\r');
  expect(screen.lines[0]).toMatch(/\[F4 /);
});

test('Esc leaves the view as it is, and so does a search without a match', async () => {
  const { screen } = await setup(3);
  await screen.type('g', ...'nowhere', '\r');
  expect(screen.text).toContain('No terminal has all of these words.');
  await screen.type('\x1b');
  expect(screen.lines[0]).toMatch(/\[F1 /);
  expect(screen.text).not.toContain('Go to terminal');
});
