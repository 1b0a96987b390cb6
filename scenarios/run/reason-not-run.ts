import { StartError } from '../../shared/start-error.ts';
import { ScenarioError } from '../environment/scenario-context.ts';

/**
 * Returns the reason why a scenario could not be run. If a user can correct it, this is the error's message; any other
 * error is a defect of pinpad, so it has the stack.
 */
export function reasonNotRun(error: unknown): string {
  if (error instanceof ScenarioError || error instanceof StartError) return error.message;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `the environment cannot be set up: ${message}`;
}
