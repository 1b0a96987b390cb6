import { join } from 'node:path';
import { scenarioJsonSchema, scenarioVerbs } from '../scenarios/index.ts';

/** Where the JSON Schema of scenario files is published. */
export const scenarioSchemaFile = join(import.meta.dirname, '..', 'scenarios', 'scenario.schema.json');

/** The schema as the file has it. */
export function scenarioSchemaText(): string {
  return `${JSON.stringify(scenarioJsonSchema(scenarioVerbs), null, 2)}\n`;
}
