import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Memory } from '../../test/node-process.ts';
import type { Figure } from '../figure.ts';
import type { BenchmarkPart } from '../part.ts';
import { startMeasuredPinpad, waitUntilConnected } from '../targets/start-pinpad.ts';
import { stopTarget } from '../targets/target.ts';

/**
 * Measures how much more memory many terminals take than one terminal. The memory is measured after a full garbage
 * collection. The figures leave out the young generation of the heap, because its size depends on traffic and not on
 * terminals. On a large machine, the young generation can exceed 100 MB.
 */
export const memoryPart: BenchmarkPart = {
  name: 'memory',
  summary: 'the memory of an idle terminal, in the gateway and in the emulator',
  async run({ quick, log }) {
    const few = await memoryOf(1);
    const figures: Figure[] = [];
    for (const count of quick ? [1000] : [1000, 10_000]) {
      const many = await memoryOf(count);
      for (const side of ['gateway', 'emulator'] as const) {
        log(`${side} with ${count} terminals: ${text(many[side])}; with one: ${text(few[side])}`);
        figures.push({
          name: `memory of each of ${count} idle terminals, ${side}'s side`,
          value: (held(many[side]) - held(few[side])) / (count - 1) / 1000,
          unit: 'kB',
          ...(count === 10_000 ? { aim: { atMost: 25 } } : {}),
        });
      }
    }
    return figures;
  },
};

async function memoryOf(terminals: number): Promise<{ gateway: Memory; emulator: Memory }> {
  const data = mkdtempSync(join(tmpdir(), 'pinpad-bench-'));
  const target = await startMeasuredPinpad({ data, terminals, split: true });
  try {
    await waitUntilConnected(target, terminals);
    const [gateway, emulator] = await Promise.all(target.processes.map((process) => process.memory()));
    if (!gateway || !emulator) throw new Error('gateway and terminals must be two processes');
    return { gateway, emulator };
  } finally {
    await stopTarget(target);
    rmSync(data, { recursive: true });
  }
}

const held = ({ rssBytes, youngBytes }: Memory) => rssBytes - youngBytes;
const mB = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
const text = (memory: Memory) => `${mB(memory.rssBytes)}, ${mB(memory.youngBytes)} of it young`;
