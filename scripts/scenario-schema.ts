import { join } from 'node:path';
import { makeScenarioJsonSchema, scenarioVerbs } from '../scenarios/index.ts';

/** The file with the published JSON Schema of scenario files. */
export const scenarioSchemaFile = join(import.meta.dirname, '..', 'scenarios', 'scenario.schema.json');

/** Returns the text of the schema's file. */
export function scenarioSchemaText(): string {
  return `${JSON.stringify(makeScenarioJsonSchema(scenarioVerbs), null, 2)}\n`;
}
