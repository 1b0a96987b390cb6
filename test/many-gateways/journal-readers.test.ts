import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { answerCollectors } from '../../gateway/cluster/collector.ts';
import { startLiveTraceServer } from '../../scenarios/index.ts';
import { systemClock } from '../../shared/clock.ts';
import type { JournalDataByKind, JournalEntry } from '../../shared/journal.ts';
import { systemRandom } from '../../shared/random.ts';
import { Balancer } from '../balancer.ts';
import { hasNats } from '../nats-server.ts';
import { testThoroughly } from '../optional-programs.ts';
import { prepareDatabasesForFile } from '../postgres-for-file.ts';
import { hasPostgres } from '../postgres-programs.ts';
import { killableGateway } from './killable-gateway.ts';
import { type GatewayOfTest, twoGateways } from './two-gateways.ts';

/** These tests wait ten real seconds for a gateway that is gone. One similar test runs under `npm test`, too. */
const testInCi = testThoroughly();

type Asked = Pick<GatewayOfTest, 'control'>;

const soon = { timeout: 60_000, interval: 100 };

/** Makes a reader of the journal. Each `read` fetches the page after the last one, from the gateway that the caller names. */
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

/**
 * Adds a journal entry about something that happened five seconds ago. An entry can come this late if a terminal's
 * process could not send it at once.
 */
function saysLate({ ownRuntime }: GatewayOfTest, message: string): void {
  const at = ownRuntime.clock.now() - 5_000;
  ownRuntime.journal.adopt({ at, kind: 'warning' }, JSON.stringify({ message }));
}

/** Adds entries that contain their number, through a gateway in another process. */
function asks({ control }: Asked, count: number) {
  return control('POST', `/control/terminals/number-${count}/tap`, { card: 'visa-credit' });
}

function askedIn(entries: readonly JournalEntry[]): number[] {
  return entries.flatMap(({ kind, data }) => {
    const [, count] = (kind === 'http.received' && /number-(\d+)/.exec(data.path)) || [];
    return count === undefined ? [] : [Number(count)];
  });
}

async function streamOf({ url, controlToken }: GatewayOfTest, lastEventId?: string) {
  const stop = new AbortController();
  const response = await fetch(`${url}/control/journal/stream?kind=warning`, {
    headers: {
      authorization: `Bearer ${controlToken}`,
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
    signal: stop.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  /** Returns the last id that has come so far. */
  const until = async (part: RegExp) => {
    while (!part.test(text)) text += (await reader?.read())?.value ?? expect.fail('the stream ended');
    return Array.from(text.matchAll(/^id: (.+)\n/gm), ([, id]) => id).at(-1);
  };
  return { until, said: () => text, stop: () => stop.abort() };
}

describe.runIf(hasPostgres() && hasNats())('a reader of the journal that changes gateways', () => {
  const postgres = prepareDatabasesForFile();
  const world = async () => {
    const made = await twoGateways(await (await postgres()).newGatewaysUrl());
    const { database, nats, one } = made;
    const common = { database, nats: nats.url(), controlToken: one.controlToken };
    return { ...made, killable: (name: string) => killableGateway({ ...common, name }) };
  };

  test('misses nothing under load, and reads no entry twice (B202)', async () => {
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
    // The entries of each gateway are in the order in which that gateway added them.
    for (const { name, own } of gateways.map(({ ownRuntime }, index) => ({
      name: ['one', 'two', 'three'][index],
      own: ownRuntime.journal.since().flatMap(({ kind, data }) => (kind === 'warning' ? [data] : [])),
    })))
      expect(
        reader.entries.flatMap((e) => (e.gateway === name && e.kind === 'warning' ? [e.data] : [])),
      ).toEqual(own);
  });

  testInCi(
    'misses nothing that a killed gateway had sent, and learns once that the rest is lost (B203)',
    async () => {
      const { one, two, killable } = await world();
      const three = await killable('three');
      const reader = readerOf(await newest(three));
      const gateways: Asked[] = [three, one, two];
      for (let count = 0; count < 60; count++) {
        await asks(gateways[count % 3] as Asked, count);
        if (count % 4 === 0) await reader.read(gateways[(count / 4) % 3] as Asked, 10);
      }
      // After this, gateway one has more entries of gateway three's journal than gateway two has. The reader has fewer
      // of these entries than either gateway.
      await newest(one);
      await three.kill();
      for (let count = 60; count < 90; count++) {
        await asks([one, two][count % 2] as Asked, count);
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
      const everything = Array.from({ length: 90 }, (_, count) => count);
      expect(askedIn(reader.entries).toSorted((one, other) => one - other)).toEqual(everything);
    },
  );

  testInCi('gets from any gateway what another had fetched from one that was killed (B203)', async () => {
    const { one, two, killable } = await world();
    const three = await killable('three');
    const reader = readerOf(await newest(two));
    for (let count = 0; count < 5; count++) await asks(three, count);
    await newest(one); // now gateway one has these entries of gateway three, and gateway two does not
    await asks(three, 5);
    await three.kill();
    const ofThree = async () => {
      await reader.readAll([two]);
      expect(reader.lost()).toHaveLength(1);
      return reader.entries.filter(({ gateway }) => gateway === 'three');
    };
    const entries = await vi.waitFor(ofThree, soon);
    expect(askedIn(entries)).toEqual([0, 1, 2, 3, 4]);
    expect(entries.at(-1)?.kind).toBe('journal.lost');
    await reader.readAll([one, two, one]);
    expect(reader.lost()).toHaveLength(1);
  });

  testInCi('misses nothing of a gateway that shuts down (B203)', async () => {
    const { one, two, killable } = await world();
    const three = await killable('three');
    const reader = readerOf(await newest(three)); // only gateway three has a reader
    for (let count = 0; count < 5; count++) await asks(three, count);
    await three.stop();
    await reader.readAll([one, two]);
    expect(askedIn(reader.entries)).toEqual([0, 1, 2, 3, 4]);
    await reader.readAll([await killable('four'), two, one]);
    expect(reader.lost()).toEqual([]);
  });

  testInCi(
    'is not told of losses while NATS is away, and misses nothing when it is back (B203)',
    async () => {
      const { nats, one, two } = await world();
      const gateways = [one, two];
      const reader = readerOf(await newest(one));
      await nats.kill();
      const begun = performance.now();
      let count = 0;
      // This loop lasts longer than gateways wait for a silent gateway.
      while (performance.now() - begun < 4_000) {
        for (const gateway of gateways) says(gateway, `number ${count++}`);
        await reader.readAll(gateways);
      }
      await nats.run();
      const all = Array.from({ length: count }, (_, index) => `number ${index}`).toSorted();
      const complete = async () => {
        await reader.readAll(gateways);
        const seen = reader.messages().filter((said) => said.startsWith('number'));
        expect(seen.toSorted()).toEqual(all);
      };
      await vi.waitFor(complete, soon);
      expect(reader.lost()).toEqual([]);
    },
  );

  testInCi('learns that a gateway stands still, and reads its entries when it continues (B203)', async () => {
    const { one, two, killable } = await world();
    const three = await killable('three');
    const reader = readerOf(await newest(one));
    await asks(three, 1);
    three.pause();
    const lost = async () => {
      await reader.readAll([two, one]);
      expect(reader.lost()).toHaveLength(1);
    };
    await vi.waitFor(lost, soon);
    three.goOn();
    const isThere = async () => {
      await reader.readAll([one, two]);
      expect(askedIn(reader.entries)).toEqual([1]);
    };
    await vi.waitFor(isThere, soon);
  });

  test('continues at one gateway where the stream of another ended (B202)', async () => {
    const { one, two } = await world();
    const first = await streamOf(one);
    const beginning = await first.until(/^id: .+\n\n/m);
    first.stop(); // before anything happened
    says(one, 'the first');
    saysLate(two, 'the second');
    const second = await streamOf(two, beginning);
    await second.until(/the first.*\n/);
    const last = await second.until(/the second.*\n/);
    second.stop();
    says(two, 'the third');
    saysLate(one, 'the fourth');
    const third = await streamOf(one, last);
    await third.until(/the third.*\n/);
    await third.until(/the fourth.*\n/);
    third.stop();
    expect(third.said()).not.toMatch(/the first|the second/);
  });

  testInCi('learns how many entries the journals had dropped before it connected (B203)', async () => {
    const { one, two } = await world();
    const reader = readerOf(await newest(two));
    for (let count = 0; count < 12_000; count++) says(one, `number ${count}`);
    await reader.read(two, 10_000);
    await reader.readAll([one, two]);
    const counts = reader.lost().map(({ data }) => (data as JournalDataByKind['journal.lost']).count ?? 0);
    const dropped = counts.reduce((sum, count) => sum + count, 0);
    expect(dropped).toBeGreaterThanOrEqual(2_000);
    expect(dropped + reader.messages().length).toBe(12_000);
    expect(reader.messages().at(-1)).toBe('number 11999');
  });

  test('may use any position: it learns once of an unknown journal, and an invalid one is refused (B203)', async () => {
    const { one } = await world();
    await newest(one);
    const { last } = await newest(one);
    const reader = readerOf({ last: `${last}~AAAAAAAA.7~________.8l` });
    await reader.readAll([one, one]);
    expect(reader.entries.map(({ kind }) => kind)).toEqual(['journal.lost']);
    const status = async (since: string) =>
      (await one.control('GET', `/control/journal?since=${encodeURIComponent(since)}`)).status;
    const long = `1${Array.from({ length: 190 }, (_, nth) => `~${`${nth}`.padStart(8, '_')}.${nth}`).join('')}`;
    expect(await status(long)).toBe(200);
    const nonsense = ['', '1~', '2~AAAAAAAA.7', '1~AAAAAAA.7', '1~AAAAAAAA.x', '1~AAAAAAAA.7~', '-1', '1.5'];
    for (const since of [...nonsense, '1~AAAAAAAA.9999999999999999', `${long}${long.slice(1)}`])
      expect([since.slice(0, 40), await status(since)]).toEqual([since.slice(0, 40), 400]);
  });

  testInCi('gets numbers instead of positions if one gateway is of an older release (B202)', async () => {
    const { one, two } = await world();
    expect((await newest(one)).last).toEqual(expect.any(String));
    const hints = two.cluster?.hints ?? expect.fail('it has no others');
    const entry = { at: one.runtime.clock.now(), kind: 'warning', data: '{"message":"of an older one"}' };
    answerCollectors(hints, 'journal', 'older', async (after) => {
      const about = { gateway: 'older', upTo: one.runtime.clock.now() - 1 };
      return { items: after < 1 ? [{ seq: 1, ...entry }] : [], last: 1, more: false, about };
    });
    // The older gateway's arrival is announced over NATS, so the first answers may not count it yet.
    let last: unknown;
    await vi.waitFor(async () => {
      last = (await newest(one)).last;
      expect(last).toEqual(expect.any(Number));
    }, soon);
    says(two, 'after that');
    const { body } = await one.control('GET', `/control/journal?since=${last}&kind=warning`);
    expect(body.entries.map(({ data }: JournalEntry<'warning'>) => data.message)).toEqual(['after that']);
    expect(body.last).toEqual(expect.any(Number));
  });

  testInCi('has each entry once if pinpad trace reconnects to another gateway (B202)', async () => {
    const { one, two } = await world();
    const balancer = await Balancer.start();
    onTestFinished(() => balancer.stop());
    const balanced = (gateway: GatewayOfTest) => {
      balancer.gateways = [Number(new URL(gateway.url).port)];
    };
    balanced(one);
    const { promise: lost, resolve: onLost } = Promise.withResolvers<void>();
    const machine = { clock: systemClock, random: systemRandom };
    const gateway = { url: balancer.url, controlToken: one.controlToken };
    const live = await startLiveTraceServer(gateway, machine, { onLost });
    onTestFinished(() => live.close());
    const pageHas = (message: string) =>
      vi.waitFor(async () => {
        const page = await (await fetch(live.url)).text();
        expect(page.split(`"${message}"`)).toHaveLength(2);
      }, soon);
    says(two, 'in time');
    await pageHas('in time');
    balanced(two);
    await one.close();
    await lost;
    saysLate(two, 'of a while ago');
    await pageHas('of a while ago');
    await pageHas('in time');
  });
});
