import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Aim, Figure } from '../figure.ts';
import { HttpConnection } from '../load/http-connection.ts';
import { LoadProcess } from '../load/load-process.ts';
import type { BenchmarkPart } from '../part.ts';
import { type PinpadTarget, startMeasuredPinpad } from '../targets/start-pinpad.ts';
import { startRelay } from '../targets/start-relay.ts';
import { stopTarget, type Target } from '../targets/target.ts';
import { Samples } from './measure.ts';

const concurrencies = [1, 16, 64];
const subjects = ['plain Express', 'pinpad'] as const;
type Subject = (typeof subjects)[number];
/**
 * The number of debits that are refunded in turn. This number is large, so that no debit gets a long list of refunds.
 */
const refundedDebits = 5_000;

/** Compares charges of saved cards and their refunds with plain Express in the same run, with alternating rounds. */
export const savedCardsPart: BenchmarkPart = {
  name: 'saved-cards',
  summary:
    'charges and refunds per second, p50 and p99 at 1, 16 and 64 in flight, compared with plain Express',
  async run({ quick, log }) {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
    const running: Target[] = [];
    const load = new LoadProcess();
    const how = { concurrencies, rounds: quick ? 2 : 7, durationMs: quick ? 500 : 1500 };
    try {
      const relay = await startRelay({ terminals: 1, answerBytes: 100, split: false });
      running.push(relay);
      const pinpad = await startMeasuredPinpad({ data: join(folder, 'data'), terminals: 1, split: false });
      running.push(pinpad);
      const targets = (debits: string[] = []) =>
        new Map<Subject, Target>([
          ['plain Express', { ...relay, debits }],
          ['pinpad', { ...pinpad, debits }],
        ]);
      const charges = await Samples.interleaved(load, targets(), { ...how, operation: 'charge' });
      const debits = await latestDebits(pinpad, refundedDebits);
      const refunds = await Samples.interleaved(load, targets(debits), { ...how, operation: 'refund' });
      return [...figuresOf('charge', charges, log), ...figuresOf('refund', refunds, log)];
    } finally {
      load.stop();
      for (const target of running) await stopTarget(target);
      rmSync(folder, { recursive: true });
    }
  },
};

async function latestDebits(target: PinpadTarget, count: number): Promise<string[]> {
  const connection = await HttpConnection.open(new URL(target.url));
  const ids: string[] = [];
  for (let more = true; more && ids.length < count; ) {
    const before = ids.length === 0 ? '' : `&before=${ids.at(-1)}`;
    const headers = `Authorization: Bearer ${target.controlToken}\r\n`;
    const { body } = await connection.send('GET', `/control/debits?limit=1000${before}`, headers);
    const page = JSON.parse(body) as { id: string }[];
    ids.push(...page.map(({ id }) => id));
    more = page.length === 1000;
  }
  connection.close();
  return ids;
}

/** The aims with 64 requests in flight: the rate of pinpad divided by the rate of plain Express. */
const aims: Record<'charge' | 'refund', Aim> = {
  charge: { atLeast: 0.4, best: 0.6 },
  refund: { atLeast: 0.3, best: 0.5 },
};

function figuresOf(
  what: 'charge' | 'refund',
  samples: Samples<Subject>,
  log: (text: string) => void,
): Figure[] {
  const yardstick = 'plain Express';
  return concurrencies.flatMap((concurrency): Figure[] => {
    log(`${what}s, ${samples.table(subjects, yardstick, concurrency)}`);
    const at = `at ${concurrency} in flight`;
    const ratio = (of: 'perSecond' | 'p99Ms' | 'cpuUs') =>
      samples.ratio('pinpad', yardstick, concurrency, of);
    return [
      { name: `${what}s/s, ${at}`, value: samples.middle('pinpad', concurrency, 'perSecond'), unit: '/s' },
      {
        name: `${what}s/s, as a share of plain Express, ${at}`,
        value: ratio('perSecond'),
        unit: 'ratio',
        ...(concurrency === 64 ? { aim: aims[what] } : {}),
      },
      {
        name: `p99 of a ${what}, as a multiple of plain Express, ${at}`,
        value: ratio('p99Ms'),
        unit: 'ratio',
      },
      {
        name: `CPU of a ${what}, as a multiple of plain Express, ${at}`,
        value: ratio('cpuUs'),
        unit: 'ratio',
      },
    ];
  });
}
