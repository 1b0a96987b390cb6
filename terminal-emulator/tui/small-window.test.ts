import { expect, test } from 'vitest';
import { languages, screenStates } from '../../shared/emulator/screen.ts';
import { drawScreen } from './drawn-screen.fixture.ts';
import { addPaymentEntries, FakeSource } from './fake-source.fixture.ts';

/**
 * Tests a window that has no room for the drawn device. It shows the text on the terminal's screen, the terminal's keys
 * and the last sales (B269).
 */

async function setup(size = { columns: 60, rows: 15 }) {
  const source = new FakeSource();
  await addPaymentEntries(source);
  const screen = await drawScreen(source, size);
  return { source, screen };
}

test.each(screenStates)('%s at 60 x 15', async (state) => {
  const { source, screen } = await setup();
  source.show(state);
  await screen.drawn();
  await expect(screen.text).toMatchFileSnapshot(`golden/60x15/${state}.golden.txt`);
});

test.each([
  ['help', ['?']],
  ['sale', ['a', '5']],
  ['calls', ['\r']],
  ['search', ['/', 'm', 'a', 'e']],
  ['terminals', ['g']],
  ['troubles', ['f']],
])('%s at 60 x 15', async (name, keys) => {
  const { screen } = await setup();
  await screen.type(...keys);
  await expect(screen.text).toMatchFileSnapshot(`golden/60x15/view-${name}.golden.txt`);
});

test('no text of the terminal is cut off at 60 x 15, in any language', async () => {
  const { source, screen } = await setup();
  const cut: string[] = [];
  for (const language of languages)
    for (const state of screenStates) {
      source.show(state, { language });
      await screen.drawn();
      const shown = screen.lines.slice(1, 7).join('\n');
      const { title, lines, choices } = source.screen('V400m-347312390');
      const said = [title, ...lines, ...choices.map(({ label }) => label)].flatMap((text) => text.split(' '));
      if (said.some((word) => !shown.includes(word))) cut.push(`${language} ${state}:\n${shown}`);
    }
  expect(cut).toEqual([]);
});

test('a payment continues in a window that is made small, with its keys', async () => {
  const { source, screen } = await setup({ columns: 80, rows: 24 });
  source.show('presentCard');
  await screen.resize(60, 15);
  expect(screen.text).toContain('Present card');
  await screen.type('/', ...'maestro', '\r', 't');
  expect(source.done).toEqual([{ poiId: 'V400m-347312390', action: 'tap', card: 'maestro' }]);
});

test('a window below 60 x 15 says so, and q asks first during a payment', async () => {
  const { source, screen } = await setup({ columns: 60, rows: 14 });
  expect(screen.text).toContain('Make it at least 60 x 15');
  const about = { terminal: 'V400m-347312390', payment: 'open' };
  source.journal.add('payment.accepted', { amount: 500, currency: 'EUR', requestId: 'r' }, about);
  await screen.drawn();
  await screen.type('q');
  expect(screen.text).toContain('A payment is under way.');
  await screen.type('x', 'q', 'y');
  await screen.finished;
});
