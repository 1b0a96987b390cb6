import { existsSync, writeFileSync } from 'node:fs';
import type { RecordedEnvironment } from '../../scenarios/index.ts';
import type { Stack } from '../../stack/index.ts';
import { readEnvironment } from './recorded-environment.ts';

/**
 * The screen's key for recording: the first call begins, the next writes what happened since into a scenario beside the
 * others in `folder`. Each returns the line to show to the user.
 */
export function recorderOf({ runtime, url, controlToken }: Stack, folder = '.'): () => Promise<string> {
  const { journal } = runtime;
  const gateway = { url, controlToken };
  let begun: { seq: number; environment: Promise<RecordedEnvironment> } | undefined;
  return async () => {
    if (begun === undefined) {
      begun = { seq: journal.latest?.seq ?? 0, environment: readEnvironment(gateway) };
      begun.environment.catch(() => {}); // reported when it is written
      return 'Recording; press w again to write the scenario';
    }
    const { seq, environment: before } = begun;
    const entries = journal.since(seq);
    begun = undefined;
    const file = freeFile(folder);
    try {
      const { accounts = [] } = await before;
      const environment = { ...(await readEnvironment(gateway)), accounts };
      const { recordScenario } = await import('../../scenarios/index.ts'); // only who records needs them
      writeFileSync(file, recordScenario(entries, { ...environment, name: 'Recorded' }), { flag: 'wx' });
      return `Written to ${file}; run it with: pinpad run ${file}`;
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
