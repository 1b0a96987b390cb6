import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { testThoroughly } from '../../test/optional-programs.ts';
import { createGateway } from '../index.ts';

const testInCi = testThoroughly();

testInCi('a stream from long ago gives every entry since, however slowly its client reads', async () => {
  const runtime = createRuntime();
  const gateway = await createGateway({}, runtime);
  onTestFinished(() => gateway.close());
  const message = 'x'.repeat(2_000);
  const first = runtime.journal.latest?.seq ?? 0;
  for (let count = 0; count < 8_000; count++) runtime.journal.add('warning', { message });
  const wanted = Array.from({ length: 8_000 }, (_, index) => first + index + 1);

  const seqs: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const call = request(`${gateway.url}/control/journal/stream?kind=warning&since=${first}`, {
      headers: { authorization: `Bearer ${gateway.controlToken}` },
    });
    onTestFinished(() => void call.destroy());
    call.on('error', reject);
    call.on('response', (response) => {
      let text = '';
      response.on('close', () => reject(new Error(`cut off after ${seqs.length} entries`)));
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const end = text.lastIndexOf('\n\n');
        if (end === -1) return;
        for (const [, seq] of text.slice(0, end).matchAll(/^id: (\d+)$/gm)) seqs.push(Number(seq));
        text = text.slice(end);
        if (seqs.length >= wanted.length) resolve();
      });
    });
    call.end();
  });
  expect(seqs).toEqual(wanted);
});

test('each page names the position at which it ends, and the next page continues there (B202)', async () => {
  const runtime = createRuntime();
  const gateway = await createGateway({}, runtime);
  onTestFinished(() => gateway.close());
  for (let count = 0; count < 10; count++) {
    runtime.journal.add('warning', { message: `number ${count}` });
    runtime.journal.add('control.changed', { what: `between ${count}` });
  }
  const read = async (query: string) => {
    const headers = { authorization: `Bearer ${gateway.controlToken}` };
    const response = await fetch(`${gateway.url}/control/journal?${query}`, { headers });
    return JSON.parse(await response.text());
  };
  const messages: string[] = [];
  let last = 0;
  for (let pages = 0; pages < 5; pages++) {
    const page = await read(`kind=warning&limit=3&since=${last}`);
    messages.push(...page.entries.map(({ data }: { data: { message: string } }) => data.message));
    last = page.last;
  }
  expect(messages).toEqual(Array.from({ length: 10 }, (_, count) => `number ${count}`));
  expect(last).toBe(runtime.journal.latest?.seq);
  const restarted = await read('since=5000'); // the entry with the number 5000 was made before the restart
  expect(restarted).toEqual({ entries: [], last });
  const refused = await read('since=1~AAAAAAAA.7');
  expect(refused).toMatchObject({
    error: 'invalidRequest',
    details: [{ path: 'since', message: expect.stringContaining('this gateway knows no other gateways') }],
  });
});

test('a page of the journal is one JSON text of its entries', async () => {
  const runtime = createRuntime();
  const gateway = await createGateway({}, runtime);
  onTestFinished(() => gateway.close());
  for (const message of ['one', 'say "two" — 2 €', 'three']) runtime.journal.add('warning', { message });
  const last = runtime.journal.latest?.seq;
  const page = async (query: string) => {
    const headers = { authorization: `Bearer ${gateway.controlToken}` };
    return (await fetch(`${gateway.url}/control/journal?${query}`, { headers })).text();
  };
  const entries = runtime.journal.since().filter(({ kind }) => kind === 'warning');
  expect(entries).toHaveLength(3);
  expect(await page('kind=warning')).toBe(`${JSON.stringify({ entries, last })}\n`);
  expect(await page('kind=nothing')).toBe(`${JSON.stringify({ entries: [], last })}\n`);
});
