import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storyJsonSchema } from '../scenarios/index.ts';

/** Where the JSON Schema of story files is published. */
export const storySchemaFile = join(import.meta.dirname, '..', 'scenarios', 'story.schema.json');

/** The schema as the file has it. */
export function storySchemaText(): string {
  return `${JSON.stringify(storyJsonSchema(), null, 2)}\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(storySchemaFile, storySchemaText());
