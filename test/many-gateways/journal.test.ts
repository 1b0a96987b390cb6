import { connect } from '@nats-io/transport-node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { emulate, type GatewayOfTest, twoGateways } from './two-gateways.ts';

const testInCi = testThoroughly();

const soon = { timeout: 60_000, interval: 20 };

async function journalOf(gateway: GatewayOfTest, query = 'limit=10000'): Promise<JournalEntry[]> {
  return (await gateway.control('GET', `/control/journal?${query}`)).body.entries;
}

function placesOf(entries: JournalEntry[]): string[] {
  return entries.map(({ gateway, kind }) => `${gateway} ${kind}`);
}

describe.runIf(hasPostgres() && hasNats())('the journal of several gateways', () => {
  const postgres = prepareDatabasesForFile();
  const world = async () => twoGateways(await (await postgres()).newGatewaysUrl());

  test('is the same at each gateway, in order of time, each entry once with its gateway (B188)', async () => {
    const { one, two } = await world();
    for (const [turn, gateway] of [one, two, one, two].entries())
      gateway.ownRuntime.journal.add('warning', { message: `number ${turn}` });
    for (const gateway of [one, two, one]) {
      const entries = await journalOf(gateway);
      const warnings = entries.filter((entry) => entry.kind === 'warning');
      const said = warnings.map((entry) => `${entry.gateway}: ${entry.data.message}`);
      expect(said.toSorted()).toEqual(['one: number 0', 'one: number 2', 'two: number 1', 'two: number 3']);
      for (const inOrder of [entries.map(({ seq }) => seq), entries.map(({ at }) => at)])
        expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    }
    const { body } = await two.control('GET', '/control/journal');
    two.ownRuntime.journal.add('warning', { message: 'here' });
    one.ownRuntime.journal.add('warning', { message: 'there' });
    expect(placesOf(await journalOf(two, `since=${body.last}`)).toSorted()).toEqual([
      'one warning',
      'two warning',
    ]);
  });

  testInCi(
    'has each entry once, and one gateway continues after the last entry of another (B188)',
    async () => {
      const { one, two, another } = await world();
      const gateways = [one, two];
      const told: string[] = [];
      const noted: string[] = [];
      let last = (await one.control('GET', '/control/journal')).body.last;
      for (let turn = 0; turn < 20; turn++) {
        if (turn === 10) gateways.push(await another('three')); // the journal of the third gateway begins now
        for (const [place, gateway] of gateways.entries()) {
          gateway.ownRuntime.journal.add('warning', { message: `number ${turn}` });
          noted.push(`${['one', 'two', 'three'][place]}: number ${turn}`);
        }
        const asked = gateways[turn % gateways.length] as GatewayOfTest;
        const { body } = await asked.control('GET', `/control/journal?since=${last}&kind=warning`);
        told.push(...body.entries.map(({ data }: JournalEntry<'warning'>) => data.message));
        last = body.last;
      }
      expect(told).toEqual(
        Array.from({ length: 20 }, (_, turn) => Array(turn < 10 ? 2 : 3).fill(`number ${turn}`)).flat(),
      );
      // The gateways' clocks differ by some milliseconds. So only the entries of one gateway are in the same order
      // everywhere.
      const byGateway = (lines: string[]) => Object.groupBy(lines, (line) => line.split(':')[0] ?? '');
      for (const gateway of gateways) {
        const entries = await journalOf(gateway, 'kind=warning');
        const numbers = entries.map(({ seq }) => seq);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        const said = entries.map(
          (entry) => `${entry.gateway}: ${(entry.data as { message: string }).message}`,
        );
        expect(byGateway(said)).toEqual(byGateway(noted));
      }
    },
  );

  test('streams the entries of the other gateways live', async () => {
    const { one, two } = await world();
    const stop = new AbortController();
    const response = await fetch(`${two.url}/control/journal/stream?kind=warning`, {
      headers: { authorization: `Bearer ${two.controlToken}` },
      signal: stop.signal,
    });
    onTestFinished(() => stop.abort());
    one.ownRuntime.journal.add('warning', { message: 'at one' });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let said = '';
    while (!said.includes('at one')) said += (await reader?.read())?.value ?? expect.fail('the stream ended');
    expect(JSON.parse(/^data: (.*)$/m.exec(said)?.[1] ?? '')).toMatchObject({
      kind: 'warning',
      gateway: 'one',
    });
  });

  testInCi(
    'streams to readers with different positions the entries that each has not read, once',
    async () => {
      const { one, two } = await world();
      const note = (gateway: GatewayOfTest, message: string) =>
        gateway.ownRuntime.journal.add('warning', { message });
      const { last } = (await one.control('GET', '/control/journal')).body;
      note(one, 'before');
      const stop = new AbortController();
      onTestFinished(() => stop.abort());
      const watch = async (query: string) => {
        const response = await fetch(`${two.url}/control/journal/stream?kind=warning${query}`, {
          headers: { authorization: `Bearer ${two.controlToken}` },
          signal: stop.signal,
        });
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        let said = '';
        const until = async (message: string) => {
          while (!said.includes(message)) said += (await reader?.read())?.value ?? expect.fail('it ended');
          return Array.from(said.matchAll(/"message":"([^"]*)"/g), ([, each]) => each);
        };
        await until('id: '); // waits for the position at which the stream begins
        return until;
      };
      const early = await watch(`&since=${last}`);
      expect(await early('before')).toEqual(['before']);
      const late = await watch('');
      const same = await watch('');
      for (const [turn, gateway] of [one, two, one, two].entries()) {
        note(gateway, `number ${turn}`);
        const live = Array.from({ length: turn + 1 }, (_, each) => `number ${each}`);
        expect(await early(`number ${turn}`)).toEqual(['before', ...live]);
        expect(await late(`number ${turn}`)).toEqual(live);
        expect(await same(`number ${turn}`)).toEqual(live);
      }
    },
  );

  testInCi(
    'has all of a long history, in as many messages as needed, and even very long entries',
    async () => {
      const { one, two } = await world();
      const long = 'x'.repeat(90_000);
      for (let count = 0; count < 20; count++)
        one.ownRuntime.journal.add('warning', { message: `${count} ${long}` });
      one.ownRuntime.journal.add('reader.event', {
        reader: '"'.repeat(90_000),
        event: '\u0001'.repeat(90_000),
      });
      one.ownRuntime.journal.add('warning', { message: 'the last' });
      const entries = await journalOf(two);
      const mine = entries.filter(({ gateway, kind }) => gateway === 'one' && kind === 'warning');
      expect(mine).toHaveLength(21);
      expect(mine.at(-1)?.data).toEqual({ message: 'the last' });
      expect(entries.find(({ kind }) => kind === 'reader.event')?.data).toEqual({ cut: expect.any(String) });
    },
  );

  test('is not sent over NATS while nobody reads it', async () => {
    const { nats, one, terminals } = await world();
    await emulate(one, terminals.slice(0, 1));
    const idle = await one.control('GET', '/control/terminals/V400m-1/screen?until=idle');
    expect(idle).toMatchObject({ status: 200 });
    const listener = await connect({ servers: nats.url() });
    onTestFinished(() => listener.close());
    const subjects: string[] = [];
    // messages that may come: those about the terminal, and the answers to questions
    const mayCome = /^_INBOX\.|\.terminal\./;
    listener.subscribe('>', {
      callback: (_error, { subject }) => void (mayCome.test(subject) || subjects.push(subject)),
    });
    await listener.flush();
    for (let count = 0; count < 100; count++) one.ownRuntime.journal.add('warning', { message: `${count}` });
    // gateway one sends its question over the same connection as its entries, so the question arrives after all
    // entries
    await journalOf(one);
    await listener.flush();
    expect(subjects[0]).toMatch(/\.journal$/);
  });

  testInCi('has only local entries while NATS is gone, and is complete when it is back', async () => {
    const { nats, one, two } = await world();
    await journalOf(two);
    await nats.kill();
    one.ownRuntime.journal.add('warning', { message: 'meanwhile at one' });
    two.ownRuntime.journal.add('warning', { message: 'meanwhile at two' });
    const messages = async () =>
      (await journalOf(two)).flatMap((entry) => (entry.kind === 'warning' ? [entry.data.message] : []));
    expect(await messages()).toContain('meanwhile at two');
    await nats.run();
    await vi.waitFor(async () => expect(await messages()).toContain('meanwhile at one'), soon);
    const mine = (await messages()).filter((message) => message.startsWith('meanwhile'));
    expect(mine.toSorted()).toEqual(['meanwhile at one', 'meanwhile at two']);
  });
});
