import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import type { Part } from '../part.ts';
import { type PinpadTarget, startPinpad } from '../targets/start-pinpad.ts';
import { stopTarget } from '../targets/target.ts';

/** Resident memory after a full collection, by how much it grows from one terminal to many. */
export const memory: Part = {
  name: 'memory',
  summary: 'memory of one idle terminal, on the side of the gateway and of the emulator',
  async run({ quick, log }) {
    const few = await residentBytes(1);
    const figures: Figure[] = [];
    for (const count of quick ? [1000] : [1000, 10_000]) {
      const many = await residentBytes(count);
      const kBEach = many.map((bytes, side) => (bytes - (few[side] ?? 0)) / (count - 1) / 1000);
      log(
        `${count} terminals: gateway ${mB(many[0])}, emulator ${mB(many[1])}; with one: ${mB(few[0])}, ${mB(few[1])}`,
      );
      for (const [side, name] of ['gateway', 'emulator'].entries())
        figures.push({
          name: `memory of each of ${count} idle terminals, ${name}'s side`,
          value: kBEach[side] ?? Number.NaN,
          unit: 'kB',
          ...(count === 10_000 ? { aim: { atMost: 25 } } : {}),
        });
    }
    return figures;
  },
};

/** Of the gateway's process and the emulator's. */
async function residentBytes(terminals: number): Promise<number[]> {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
  const target = await startPinpad({ data, terminals, split: true });
  try {
    await allConnected(target, terminals);
    return await Promise.all(target.processes.map((process) => process.rssBytes()));
  } finally {
    await stopTarget(target);
    rmSync(data, { recursive: true });
  }
}

/** Terminals are ready before they are connected: they dial by themselves. */
async function allConnected({ url, controlToken }: PinpadTarget, terminals: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/control`, { headers: { authorization: `Bearer ${controlToken}` } });
    const { counts } = (await answer.json()) as { counts: { connectedTerminals: number } };
    if (counts.connectedTerminals === terminals) return;
    await setTimeout(100);
  }
}

const mB = (bytes = 0) => `${(bytes / 1e6).toFixed(0)} MB`;
