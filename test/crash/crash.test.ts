import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { draws } from '../draws.ts';
import { crashTest } from './crash-test.ts';

const rounds = draws(0.5);
/** A machine so busy that no payment comes to its approval before the terminal's timeouts end it gets longer ones. */
const timeScales = [0.02, 0.06, 0.2];

test(
  'nothing is lost and nothing is paid twice while gateway and terminals are killed under load',
  async () => {
    for (const timeScale of timeScales) {
      const folder = mkdtempSync(join(tmpdir(), 'pinpad-crash-'));
      const summary = await crashTest({ rounds, seed: 20_260_101, timeScale, folder });
      expect(summary.violations, `the evidence is in ${folder}/violation`).toEqual([]);
      expect(summary.rounds).toBe(rounds);
      expect(summary.office.received).toBeGreaterThanOrEqual(summary.office.events);
      rmSync(folder, { recursive: true });
      if (summary.endings.approved && summary.office.debits > 0) return;
    }
    expect.fail('in none of the rounds a payment was approved and a card charged');
  },
  timeScales.length * rounds * 120_000,
);
