import { StartError } from '../../shared/start-error.ts';
import { ScenarioError } from '../environment/scenario-context.ts';

/**
 * The reason why a scenario could not be run. If a person can mend it, it is given as it is; any other error is a defect of
 * pinpad, so its stack is given.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof ScenarioError || error instanceof StartError) return error.message;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `the environment cannot be set up: ${message}`;
}
