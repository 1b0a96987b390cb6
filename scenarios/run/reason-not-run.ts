import { StartError } from '../../shared/start-error.ts';
import { ScenarioError } from '../environment/scenario-context.ts';

/**
 * Returns the reason why a scenario could not be run. If the user can correct the mistake, the reason is the error's
 * message. Any other error is a defect of pinpad, so the reason is the error's stack.
 */
export function describeReasonNotRun(error: unknown): string {
  if (error instanceof ScenarioError || error instanceof StartError) return error.message;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `the environment cannot be set up: ${message}`;
}
