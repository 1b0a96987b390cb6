import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, onTestFinished } from 'vitest';
import { type MomentName, momentNames, moments } from '../../shared/moments.ts';
import { sampleCases } from '../draws.ts';
import { NodeProcess } from '../node-process.ts';
import { testThoroughly } from '../optional-programs.ts';
import { stackHarness } from '../stack/stack-harness.ts';
import { gatewayPaymentWays, type PaymentWay, payBy, usualPaymentWays } from './pays.ts';

const testInCi = testThoroughly();

/** Checks that a crash within the process leaves the same rows on disk as a kill at the same step (B282). */

const atGateway = momentNames.filter((name) => moments[name].side === 'gateway');
const rare = Object.values(gatewayPaymentWays).filter(({ to }) =>
  to.some((moment) => /delivered|noted|ask|abort/.test(moment)),
);

/** Returns a way to pay that reaches the step. */
function wayTo(moment: MomentName): PaymentWay {
  const special = /delivered|noted|ask|abort/.test(moment);
  return (special && rare.find(({ to }) => to.includes(moment))) || (usualPaymentWays['a tap'] as PaymentWay);
}

testInCi.each(sampleCases(atGateway, 6, 5))('at %s', async (moment) => {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-kill-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [killed, crashed] = [
    await killedAt(moment, join(folder, 'killed')),
    await crashedAt(moment, join(folder, 'crashed')),
  ];
  expect(Object.keys(killed).length).toBeGreaterThan(20);
  expect(killed.payments?.length).toBe(moment === 'before.accepted' ? 0 : 1);
  expect(crashed).toEqual(killed);
});

/** Pays in another process, which kills itself at the step. */
async function killedAt(moment: MomentName, folder: string): Promise<Rows> {
  const [which, name] = moment.split('.');
  const of = ['deliver', 'abort', 'ask', 'reply', 'answer'].includes(name ?? '') ? 'effect' : 'commit';
  const preload = join(import.meta.dirname, '..', 'trials', 'kill-at-step.ts');
  const args = [folder, JSON.stringify(wayTo(moment))];
  const process = await NodeProcess.start(join(import.meta.dirname, 'pays-once.ts'), args, { preload });
  process.send({ killAtStep: { of, name, steps: 1, moment: which, refuses: false } });
  process.send({ pay: true });
  expect(await process.exited).toBe('SIGKILL');
  return rowsIn(join(folder, 'pinpad.sqlite'));
}

/**
 * Pays in this process, whose gateway crashes at the step. The files are copied right after the crash, before the
 * gateway starts again. Returns the rows of the copy.
 */
async function crashedAt(moment: MomentName, folder: string): Promise<Rows> {
  const harness = await stackHarness({ memory: false, data: folder });
  const then = `${folder}-then`;
  harness.stack.runtime.journal.listen(({ kind }) => {
    if (kind === 'gateway.crashed') cpSync(folder, then, { recursive: true });
  });
  await harness.control('PUT', `/moments/${moment}`, { action: 'crash' });
  await payBy(harness, wayTo(moment));
  return rowsIn(join(then, 'pinpad.sqlite'));
}

type Rows = Record<string, unknown[]>;

function rowsIn(file: string): Rows {
  const database = new SQLite(file);
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and name <> 'kysely_migration'")
    .all();
  const rows = (tables as { name: string }[]).map(({ name }) => {
    const all = database.prepare(`select * from "${name}"`).all() as object[];
    return [name, all.map((row) => JSON.stringify(row)).sort()] as const;
  });
  database.close();
  return Object.fromEntries(rows);
}
