import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { scaledDraws } from '../../draws.ts';
import { testThoroughly } from '../../optional-programs.ts';
import { runTrial } from '../run-trial.ts';
import { crashTrial } from './crash.ts';

const testInCi = testThoroughly();

const rounds = scaledDraws(0.5);
/**
 * On a very busy machine, the terminal's time limits end all payments before an approval. In this case the test tries
 * the next larger time scale.
 */
const timeScales = [0.02, 0.06, 0.2];

testInCi(
  'nothing is lost or paid twice while gateway and terminals are killed under load',
  async () => {
    for (const timeScale of timeScales) {
      const folder = mkdtempSync(join(tmpdir(), 'pinpad-crash-'));
      const summary = await runTrial(crashTrial, { rounds, seed: 20_260_101, timeScale, folder });
      const { violations, tally } = summary;
      expect(violations, `the evidence is in ${folder}/violation`).toEqual([]);
      expect(summary.rounds).toBe(rounds);
      expect(tally.of('made', 'messages received')).toBeGreaterThanOrEqual(tally.of('made', 'events'));
      rmSync(folder, { recursive: true });
      if (tally.of('endings', 'approved') > 0 && tally.of('made', 'debits') > 0) return;
    }
    expect.fail('in none of the rounds a payment was approved and a card charged');
  },
  timeScales.length * rounds * 120_000,
);
