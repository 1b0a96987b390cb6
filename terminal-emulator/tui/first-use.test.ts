import { expect, test } from 'vitest';
import { drawScreen } from './drawn-screen.fixture.ts';
import { addEndedPaymentEntries, addPaymentEntries, FakeSource } from './fake-source.fixture.ts';

/** Tests that a person who sees the screen for the first time does not misread it (B260). */

async function setup(size = { columns: 80, rows: 24 }) {
  const source = new FakeSource();
  const screen = await drawScreen(source, size);
  return { source, screen };
}

test('a reason that begins with three digits is not read with a count', async () => {
  const { source, screen } = await setup();
  addEndedPaymentEntries(source, 'pin', { errorCondition: 'wrongPin', why: '128 PIN tries exceeded' });
  await screen.drawn();
  expect(screen.text).toContain('wrongPin: PIN tries exceeded (128)');
});

test.each([
  { columns: 80, rows: 24, heading: / ends ─+ PIN ─/ },
  { columns: 120, rows: 40, heading: / ends ─+ PIN ─/ },
  { columns: 240, rows: 60, heading: / number ─+ PIN ─+ what it does ─/ },
])('the columns of the cards have headings at $columns x $rows', async ({ heading, ...size }) => {
  const { screen } = await setup(size);
  const headings = screen.lines[1] ?? '';
  expect(headings).toMatch(heading);
  const first = screen.lines[2] ?? '';
  expect(headings.indexOf('PIN')).toBe(first.indexOf('1234'));
});

test('a long search replaces the headings', async () => {
  const { screen } = await setup();
  await screen.type('/', ...'declines not enough');
  expect(screen.lines[1]).toContain('/declines not enough');
  expect(screen.lines[1]).not.toContain('ends');
});

test("the end of a payment's wait for its terminal is shown as a full time of day", async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  const about = { terminal: 'V400m-347312390', payment: 'lost' };
  source.journal.add('payment.lost', { deadline: '2026-01-01T09:02:30.000Z' }, about);
  await screen.drawn();
  expect(screen.text).toContain('! Terminal lost; the payment waits until 09:02:30');
});

test('a mode that is on from the start is not highlighted', async () => {
  const source = Object.assign(new FakeSource(), { wedge: { settings: {}, swipe: () => undefined } });
  const screen = await drawScreen(source as FakeSource, { columns: 120, rows: 40 });
  expect(colourOf(screen, 'wedge')).toBe(245);
});

function colourOf(screen: Awaited<ReturnType<typeof drawScreen>>, text: string): number | undefined {
  const { x, y } = screen.find(text);
  return screen.terminal.buffer.active.getLine(y)?.getCell(x)?.getFgColor();
}

test.each([
  ['the journal', ['j']],
  ['a line of it', ['j', '\r']],
  ['the payments', ['l']],
  ['a payment', ['l', '\r']],
  ['a receipt', ['v']],
  ['what goes wrong', ['f']],
  ['the help', ['?']],
])('a key without a meaning on a page gets a message with the way back: %s', async (_page, keys) => {
  const { source, screen } = await setup();
  await addPaymentEntries(source);
  await screen.drawn();
  await screen.type(...keys, 'i');
  expect(screen.text).toContain('i does nothing on this page: Esc goes back, ? lists the keys.');
  expect(source.done).toEqual([]);
  await screen.type('\x1b');
  expect(screen.text).not.toContain('does nothing');
});

test('after a line of the journal was read, the arrow keys select cards again', async () => {
  const { source, screen } = await setup({ columns: 120, rows: 40 });
  await addPaymentEntries(source);
  await screen.drawn();
  await screen.type('j', '\x1b[A', '\r', '\x1b', '\x1b');
  expect(screen.text).toContain('▸ Cards 1/');
  await screen.type('\x1b[B');
  expect(screen.text).toContain('▸ Cards 2/');
  await screen.click('Printed the cashier receipt');
  expect(screen.text).toContain('terminal.printed, entry');
  await screen.type('\x1b', '\x1b[B');
  expect(screen.text).toContain('▸ Cards 3/');
});
