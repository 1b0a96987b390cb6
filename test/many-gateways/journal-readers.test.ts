import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { JournalEntry } from '../../shared/journal.ts';
import { hasNats } from '../nats-server.ts';
import { postgresForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { killableGateway } from './killable-gateway.ts';
import { type GatewayOfTest, twoGateways } from './two-gateways.ts';

type Asked = Pick<GatewayOfTest, 'control'>;

const soon = { timeout: 60_000, interval: 100 };

/** Reads the journal page by page, at another gateway each time if it is told so, and goes on where the last page ended. */
function readerOf(first: { last: number | string }) {
  const entries: JournalEntry[] = [];
  let { last } = first;
  return {
    entries,
    messages: () => entries.flatMap((entry) => (entry.kind === 'warning' ? [entry.data.message] : [])),
    lost: () => entries.flatMap((entry) => (`${entry.kind}` === 'journal.lost' ? [entry] : [])),
    async read({ control }: Asked, limit = 40) {
      const { status, body } = await control('GET', `/control/journal?since=${last}&limit=${limit}`);
      expect(status).toBe(200);
      entries.push(...body.entries);
      last = body.last;
      return body.entries.length as number;
    },
    async readAll(gateways: readonly Asked[]) {
      for (const gateway of gateways) while ((await this.read(gateway)) > 0);
    },
  };
}

const newest = async ({ control }: Asked) => (await control('GET', '/control/journal?limit=1')).body;

function says({ ownRuntime }: GatewayOfTest, message: string): void {
  ownRuntime.journal.add('warning', { message });
}

/** What a terminal's process kept back comes later than it happened. */
function saysLate({ ownRuntime }: GatewayOfTest, message: string): void {
  const at = ownRuntime.clock.now() - 5_000;
  ownRuntime.journal.adopt({ at, kind: 'warning' }, JSON.stringify({ message }));
}

describe.runIf(hasPostgres() && hasNats())('a reader of the journal that changes gateways', () => {
  const postgres = postgresForFile();
  const world = async () => twoGateways(await (await postgres()).newGatewaysUrl());

  test('misses nothing under load, and reads nothing twice (B188)', async () => {
    const { one, two, another } = await world();
    const gateways = [one, two, await another('three')];
    const reader = readerOf(await newest(one));
    const said: string[] = [];
    const load = async () => {
      for (let count = 0; count < 1_500; count++) {
        const gateway = gateways[(count * 7) % 3] as GatewayOfTest;
        said.push(`number ${count}`);
        if (count % 10 === 9) saysLate(gateway, `number ${count}`);
        else says(gateway, `number ${count}`);
        await turn();
      }
    };
    let loading = true;
    const loaded = load().finally(() => {
      loading = false;
    });
    for (let asked = 0; loading; asked++) await reader.read(gateways[asked % 3] as GatewayOfTest);
    await loaded;
    await reader.readAll(gateways);
    expect(reader.messages().toSorted()).toEqual(said.toSorted());
    expect(reader.lost()).toEqual([]);
    for (const { name, own } of gateways.map(({ ownRuntime }, index) => ({
      name: ['one', 'two', 'three'][index],
      own: ownRuntime.journal.since().flatMap(({ kind, data }) => (kind === 'warning' ? [data] : [])),
    })))
      expect(
        reader.entries.flatMap((e) => (e.gateway === name && e.kind === 'warning' ? [e.data] : [])),
      ).toEqual(own); // in its order
  });

  test('misses nothing of what a killed gateway had sent, and learns once that the rest is lost (B188)', async () => {
    const { nats, database, one, two } = await world();
    const three = await killableGateway({
      database,
      nats: nats.url(),
      name: 'three',
      controlToken: one.controlToken,
    });
    const reader = readerOf(await newest(three));
    const served: string[] = [];
    const ask = async ({ control }: Asked, count: number) => {
      const path = `/control/terminals/number-${count}/tap`;
      await control('POST', path, { card: 'visa-credit' });
      served.push(path);
    };
    for (let count = 0; count < 60; count++) {
      await ask([one, two, three][count % 3] as Asked, count);
      if (count % 4 === 0) await reader.read([three, one, two][count % 3] as Asked, 10);
    }
    // One gateway has more of it than the other by then, and the reader less than both.
    await newest(one);
    await three.kill();
    for (let count = 60; count < 90; count++) {
      await ask([one, two][count % 2] as Asked, count);
      await reader.read([two, one][count % 2] as Asked, 10);
    }
    const lost = async () => {
      await reader.readAll([two, one]);
      expect(reader.lost()).toHaveLength(1);
    };
    await vi.waitFor(lost, soon);
    await reader.readAll([one, two, one, two]);
    expect(reader.lost()).toEqual([
      expect.objectContaining({ gateway: 'three', data: { why: expect.stringContaining('three') } }),
    ]);
    const seen = reader.entries.flatMap((entry) =>
      entry.kind === 'http.received' && entry.data.path.includes('/number-') ? [entry.data.path] : [],
    );
    expect(seen.toSorted()).toEqual(served.toSorted());
  });
});
