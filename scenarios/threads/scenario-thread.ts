import { type MessagePort, parentPort } from 'node:worker_threads';
import type { JournalEntry } from '../../shared/journal.ts';
import { reasonNotRun } from '../run/reason-not-run.ts';
import { runScenario } from '../run/run-scenario.ts';
import { runTraced } from './run-traced.ts';
import type { ThreadAnswer, ThreadJob } from './scenario-threads.ts';

/** The program of a thread that runs scenarios: see ScenarioThreads. */
const port = parentPort as MessagePort;

port.on('message', (job: ThreadJob | 'close') => {
  if (job === 'close') port.close();
  else void run(job).then((answer) => port.postMessage(answer));
});
port.postMessage('ready');

async function run({ id, scenario, seed, tracing }: ThreadJob): Promise<ThreadAnswer> {
  try {
    const result = await runTraced(tracing, (traced) => runScenario(scenario, traced({ seed })));
    return { id, result: { ...result, journal: asData(result.journal) } };
  } catch (error) {
    return { id, problem: reasonNotRun(error) };
  }
}

/**
 * Turns the entries into plain data. The journal computes an entry's data only when they are read, and such entries
 * cannot be sent to another thread.
 */
function asData(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  return JSON.parse(JSON.stringify(journal));
}
