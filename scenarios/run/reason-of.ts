import { StartError } from '../../shared/start-error.ts';
import { ScenarioError } from '../environment/scenario-context.ts';

/** Why a scenario could not be run. What a person can mend is said as it is; anything else is a mistake of ours, which its stack leads to. */
export function reasonOf(error: unknown): string {
  if (error instanceof ScenarioError || error instanceof StartError) return error.message;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `the environment cannot be set up: ${message}`;
}
