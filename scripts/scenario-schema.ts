import { join } from 'node:path';
import { scenarioJsonSchema, scenarioVerbs } from '../scenarios/index.ts';

/** The file in which the JSON Schema of scenario files is published. */
export const scenarioSchemaFile = join(import.meta.dirname, '..', 'scenarios', 'scenario.schema.json');

/** The text of the schema's file. */
export function scenarioSchemaText(): string {
  return `${JSON.stringify(scenarioJsonSchema(scenarioVerbs), null, 2)}\n`;
}
