import { existsSync } from 'node:fs';
import type { Stack } from '../../stack/index.ts';
import type { TuiRecorder } from '../../terminal-emulator/index.ts';
import { writeWithFallback } from '../output-file.ts';
import { GatewayRecording } from './recording.ts';

/**
 * Handles the screen's key for recording. The first call begins a recording. The next call writes what has happened
 * since then into a new scenario file in the current folder.
 */
export function makeTuiScenarioRecorder(stack: Stack): TuiRecorder {
  let begun: GatewayRecording | undefined;
  const toggle = async () => {
    if (begun === undefined) {
      begun = new GatewayRecording(stack);
      return 'The recording has begun; press w again to write the scenario';
    }
    const recording = begun;
    begun = undefined;
    const file = freeFile();
    try {
      const { at } = writeWithFallback(file, await recording.end(), { flag: 'wx' });
      return `The scenario was written to ${at}; run it with: pinpad run ${at}`;
    } catch (error) {
      return `The scenario was not written: ${(error as Error).message}`;
    }
  };
  return {
    get recording() {
      return begun !== undefined;
    },
    toggle,
  };
}

function freeFile(): string {
  const named = (count: number) => `recorded-${count}.yaml`;
  let count = 1;
  while (existsSync(named(count))) count++;
  return named(count);
}
