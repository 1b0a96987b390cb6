import { type MessagePort, parentPort } from 'node:worker_threads';
import { describePlace, findScenarios, type Scenario, ScenarioFileError } from '../../scenarios/index.ts';

/**
 * A question to the thread that {@link ScenarioReader} starts. It asks for all scenarios of a file, or for the one with
 * the given name and row.
 */
export interface ScenarioWorkerRequest {
  readonly file: string;
  readonly one?: Pick<Scenario, 'name' | 'row'>;
}

/** The part of a scenario that a list shows. */
export type ListedScenario = Pick<Scenario, 'name' | 'description' | 'tags' | 'row' | 'file'>;

export type ScenarioWorkerReply =
  | { readonly listed: readonly ListedScenario[] }
  | { readonly scenario: Scenario | undefined }
  | { readonly problem: string };

const mostFaults = 3;
const port = parentPort as MessagePort;

port.on('message', (asked: ScenarioWorkerRequest) => port.postMessage(answerTo(asked)));
port.postMessage('ready');

function answerTo({ file, one }: ScenarioWorkerRequest): ScenarioWorkerReply {
  try {
    const scenarios = findScenarios([file]);
    if (one) return { scenario: scenarios.find(({ name, row }) => name === one.name && row === one.row) };
    return {
      listed: scenarios.map(({ name, description, tags, row, file }) => ({
        name,
        description,
        tags,
        row,
        file,
      })),
    };
  } catch (error) {
    return { problem: problemOf(error as Error) };
  }
}

function problemOf(error: Error): string {
  if (!(error instanceof ScenarioFileError)) return error.message;
  const { faults } = error;
  const first = faults.slice(0, mostFaults).map((fault) => `${describePlace(fault)}: ${fault.message}`);
  const more = faults.length - first.length;
  return [...first, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
