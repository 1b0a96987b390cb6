import { expect, test } from 'vitest';
import { drawScreen } from './drawn-screen.fixture.ts';
import { FakeSource } from './fake-source.fixture.ts';

/** Tests how the user opens the console in a browser from the screen. */

const link = 'http://127.0.0.1:8080/console#sign-in=hcBXQxhVKV8GL4x-JvzdrB';

async function setup(consoleLink?: string) {
  const source = Object.assign(new FakeSource(), { consoleLink: () => consoleLink });
  return { source, screen: await drawScreen(source, { columns: 80, rows: 24 }) };
}

test('the key b makes a link to the console, which has its own line on the screen', async () => {
  const { screen } = await setup(link);
  expect(screen.text).toContain('b browser');
  await screen.type('b');
  expect(screen.lines.map((line) => line.replaceAll(/[│ ]/g, ''))).toContain(link);
  expect(screen.text).toContain('once, within 15 minutes');
});

test('the help and the page of tokens mention the console', async () => {
  const { screen } = await setup(link);
  await screen.type('?');
  expect(screen.text).toMatch(/ b +the console in a browser/);
  await screen.type('\t');
  expect(screen.text).toMatch(/ b +makes a link that signs a browser in to the console/);
  await screen.type('b');
  expect(screen.text).toContain(link);
});

test.each([
  ['Enter', (screen: Awaited<ReturnType<typeof drawScreen>>) => screen.type('\r')],
  ['a click', (screen: Awaited<ReturnType<typeof drawScreen>>) => screen.click('[ Enter  open', 2)],
])('%s opens the console in the browser of this machine', async (_name, open) => {
  const { source, screen } = await setup(link);
  const opened: string[] = [];
  Object.assign(source, { browse: async (address: string) => void opened.push(address) });
  await screen.click('b browser');
  await open(screen);
  expect(opened).toEqual([link]);
  expect(screen.text).not.toContain(link);
});

test('if there is no browser the link stays, with the reason', async () => {
  const { source, screen } = await setup(link);
  Object.assign(source, { browse: () => Promise.reject(new Error('no browser was opened: spawn xdg-open')) });
  await screen.type('b', '\r');
  expect(screen.text).toContain('no browser was opened');
  expect(screen.text).toContain(link);
});

test('a gateway without a console says so', async () => {
  const { screen } = await setup();
  await screen.type('b', '\r');
  expect(screen.text).toContain('This gateway has no console');
});

test("the page of tokens lists Adyen's API if it is switched on", async () => {
  const { source, screen } = await setup();
  await screen.type('?', '\t');
  expect(screen.text).not.toContain('Adyen');
  Object.assign(source.facts, { adyen: true });
  await screen.type('\t', '\t');
  expect(screen.text).toContain('/sync, with x-api-key: TOKEN');
  expect(screen.text).toMatch(/ b +makes a link that signs a browser in to the console/);
});
