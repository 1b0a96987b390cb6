import { expect, onTestFinished, test, vi } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.ts';
import { ConsoleStore } from './console-store.ts';
import { LiveStream } from './live.ts';

/** Stands in for the browser's connection to the gateway. */
class FakeEventSource extends EventTarget {
  static readonly opened: FakeEventSource[] = [];
  isOpen = true;
  onerror: () => void = () => {};

  constructor() {
    super();
    FakeEventSource.opened.push(this);
  }

  send(name: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  }

  close(): void {
    this.isOpen = false;
  }
}

function setup() {
  FakeEventSource.opened.length = 0;
  const page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('EventSource', FakeEventSource);
  vi.stubGlobal('document', page);
  vi.stubGlobal('requestAnimationFrame', () => {});
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    clock: new VirtualClock({ startMs: 0 }),
    show: (shown: boolean) => {
      page.hidden = !shown;
      page.dispatchEvent(new Event('visibilitychange'));
    },
    opened: FakeEventSource.opened,
    open: () => FakeEventSource.opened.filter(({ isOpen }) => isOpen).length,
  };
}

test('a hidden page whose connection breaks connects again, and closes its connection after a minute', async () => {
  const { clock, show, opened, open } = setup();
  const stream = new LiveStream(clock, { connected() {}, batch() {}, hosted() {}, lost() {} });
  stream.open();
  show(false);
  opened[0]?.onerror();
  await clock.advance(1_000);
  expect(open()).toBe(1);
  await clock.advance(58_999);
  expect(open()).toBe(1);
  await clock.advance(1);
  expect(open()).toBe(0);
  await clock.advance(60_000);
  expect(open()).toBe(0);
  show(true);
  expect(open()).toBe(1);
  stream.close();
  expect(open()).toBe(0);
});

test('a page that is closed while it is hidden and without a connection does not connect again', async () => {
  const { clock, show, opened, open } = setup();
  const stream = new LiveStream(clock, { connected() {}, batch() {}, hosted() {}, lost() {} });
  stream.open();
  show(false);
  opened[0]?.onerror();
  stream.close();
  await clock.advance(120_000);
  expect(open()).toBe(0);
});

test('after a restart of the gateway, the page forgets the payments and screens of the old run', () => {
  const { clock, opened } = setup();
  const store = new ConsoleStore(clock);
  store.open();
  const accepted = {
    seq: 1,
    at: 0,
    kind: 'payment.accepted',
    terminal: 'V400m-1',
    payment: 'p1',
    data: { amount: 100, currency: 'EUR' },
  };
  const batch = {
    entries: [accepted],
    skipped: 0,
    screens: { 'V400m-1': { state: 'idle' } },
    hosted: ['V400m-1'],
  };
  opened[0]?.send('hello', { run: 'a', virtual: false, beatMs: 0 });
  opened[0]?.send('batch', batch);
  expect([store.latestPayment('V400m-1'), store.screen('V400m-1')]).toEqual(['p1', { state: 'idle' }]);
  opened[0]?.send('hello', { run: 'b', virtual: false, beatMs: 0 });
  expect([store.latestPayment('V400m-1'), store.screen('V400m-1')]).toEqual([undefined, undefined]);
});
