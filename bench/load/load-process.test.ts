import { expect, test } from 'vitest';
import { LoadProcess } from './load-process.ts';

test('a run fails if its process ends before it answers', async () => {
  const process = new LoadProcess();
  const target = { url: 'http://127.0.0.1:9', token: '', terminals: [] };
  const run = process.run({ operation: 'payment', target, concurrency: 1, durationMs: 1 });
  process.stop();
  await expect(run).rejects.toThrow('has ended');
});
