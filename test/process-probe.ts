import { getHeapSpaceStatistics } from 'node:v8';

/**
 * This module is loaded with `--import` into a process that is measured from outside. It answers questions over the IPC
 * channel.
 */

const answers: Record<string, () => object> = { cpu, memory };

process.on('message', (question: unknown) => {
  if (typeof question === 'string') process.send?.(answers[question]?.() ?? {});
});
// This process ends when the measuring process has ended. Listening alone must not keep this process alive.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();

function cpu(): object {
  const all = process.cpuUsage();
  const main = process.threadCpuUsage();
  return { cpuMs: (all.user + all.system) / 1000, mainMs: (main.user + main.system) / 1000 };
}

function memory(): object {
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const young = getHeapSpaceStatistics().filter(({ space_name }) => space_name.startsWith('new_'));
  return {
    rssBytes: rss,
    usedBytes: heapUsed + external,
    youngBytes: young.reduce((sum, { physical_space_size }) => sum + physical_space_size, 0),
  };
}
