import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { draws } from '../draws.ts';
import { crashTest } from './crash-test.ts';

const rounds = draws(0.5);

test(
  'nothing is lost and nothing is paid twice while gateway and terminals are killed under load',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pinpad-crash-'));
    const summary = await crashTest({ rounds, seed: 20_260_101, timeScale: 0.02, folder });
    expect(summary.violations, `the evidence is in ${folder}/violation`).toEqual([]);
    expect(summary.rounds).toBe(rounds);
    expect(summary.endings.approved).toBeGreaterThan(0);
    expect(summary.office.debits).toBeGreaterThan(0);
    expect(summary.office.received).toBeGreaterThanOrEqual(summary.office.events);
    rmSync(folder, { recursive: true });
  },
  rounds * 120_000,
);
