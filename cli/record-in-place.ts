import { existsSync, writeFileSync } from 'node:fs';
import type { RecordedStage } from '../scenarios/index.ts';
import type { Stack } from '../stack/index.ts';
import { readStage } from './recorded-stage.ts';

/**
 * The screen's key for recording: the first call begins, the next writes what happened since into a story beside the
 * others in `folder`. Each gives the line that tells the person in front.
 */
export function recorderOf({ runtime, url, controlToken }: Stack, folder = '.'): () => Promise<string> {
  const { journal } = runtime;
  const gateway = { url, controlToken };
  let begun: { seq: number; stage: Promise<RecordedStage> } | undefined;
  return async () => {
    if (begun === undefined) {
      begun = { seq: journal.latest?.seq ?? 0, stage: readStage(gateway) };
      begun.stage.catch(() => {}); // told when it is written
      return 'Recording what you do; w again writes it down';
    }
    const { seq, stage: before } = begun;
    const entries = journal.since(seq);
    begun = undefined;
    const file = freeFile(folder);
    try {
      const { accounts = [] } = await before;
      const stage = { ...(await readStage(gateway)), accounts };
      const { recordStory } = await import('../scenarios/index.ts'); // only who records needs them
      writeFileSync(file, recordStory(entries, { ...stage, name: 'Recorded' }), { flag: 'wx' });
      return `Written to ${file}; play it with: pinpad run ${file}`;
    } catch (error) {
      return `Not written: ${(error as Error).message}`;
    }
  };
}

function freeFile(folder: string): string {
  const named = (count: number) => `${folder}/recorded-${count}.yaml`;
  let count = 1;
  while (existsSync(named(count))) count++;
  return named(count).replace(/^\.\//, '');
}
