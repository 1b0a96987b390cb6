import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startLiveTraceServer } from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import type { JournalEntry } from '../../shared/journal.ts';
import { systemRandom } from '../../shared/random.ts';
import { CuttingTcpProxy } from '../cutting-tcp-proxy.ts';
import { stackHarness } from '../stack/stack-harness.ts';

const machine = { clock: systemClock, random: systemRandom };

/** Resolves to the status of a request with a target that `fetch` would not send. */
function statusOf(url: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

test('an invalid target ends neither the gateway nor the live trace, whichever is asked', async () => {
  const harness = await stackHarness();
  const live = await startLiveTraceServer(
    { url: harness.stack.url, controlToken: harness.stack.controlToken },
    machine,
  );
  harness.beforeClose(() => void live.close());
  expect(await statusOf(harness.stack.url, '//x:99999999/')).toBe(401);
  expect(await statusOf(live.url, '//x:99999999/')).toBe(404);
  const page = await fetch(live.url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('//x:99999999/');
});

test('the live trace reconnects when its connection ends, and has each entry once', async () => {
  const harness = await stackHarness();
  const { stack } = harness;
  const wire = await CuttingTcpProxy.open(Number(new URL(stack.url).port));
  onTestFinished(() => wire.close());
  const { promise: lost, resolve: onLost } = Promise.withResolvers<void>();
  const gateway = { url: `http://127.0.0.1:${wire.port}`, controlToken: stack.controlToken };
  const live = await startLiveTraceServer(gateway, machine, { onLost });
  harness.beforeClose(() => void live.close());
  const say = (message: string) => stack.runtime.journal.add('warning', { message });
  say('before');
  const reading = await entriesOf(live.url);
  await reading.until('before');
  wire.dropAll();
  await lost;
  say('meanwhile');
  expect(await reading.until('meanwhile')).toEqual(['before', 'meanwhile']);
  const seqs = reading.entries.map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
});

/** Returns everything that a page is sent, from the beginning of the journal. */
async function entriesOf(url: string) {
  const { body } = await fetch(new URL('entries?since=0', url));
  const chunks = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  const entries: JournalEntry[] = [];
  let text = '';
  const warnings = () =>
    entries.flatMap(({ kind, data }) => (kind === 'warning' ? [(data as { message: string }).message] : []));
  const until = async (message: string) => {
    while (!warnings().includes(message)) {
      text += (await chunks.read()).value ?? '';
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events)
        entries.push(...(JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '[]') as JournalEntry[]));
    }
    return warnings();
  };
  return { entries, until };
}
