import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { clientTypes, clientTypesFile } from './client-types.ts';
import { cardsPage, withTray } from './docs-cards.ts';
import { momentsPage, withMoments } from './docs-moments.ts';
import { outcomesPage, withEndings } from './docs-outcomes.ts';
import { enumerations } from './enumerations.ts';
import { freshSchemas } from './fresh-schemas.ts';
import { scenarioSchemaFile, scenarioSchemaText } from './scenario-schema.ts';
import { screenshot, screenshotPath } from './screenshot.ts';

/**
 * A file of the repository that a program writes, as a whole or between marks. A test fails if such a file is out of
 * date.
 */
export interface GeneratedFile {
  path: string;
  /** Returns the text that the file should have; `now` is its present text. */
  text(now: string): string | Promise<string>;
}

export const generatedFiles: readonly GeneratedFile[] = [
  { path: clientTypesFile, text: clientTypes },
  { path: scenarioSchemaFile, text: scenarioSchemaText },
  { path: cardsPage, text: withTray },
  { path: outcomesPage, text: withEndings },
  { path: momentsPage, text: withMoments },
  { path: screenshotPath, text: screenshot },
  ...enumerations,
  ...freshSchemas,
];

if (import.meta.main)
  for (const { path, text } of generatedFiles) {
    const now = readFileSync(path, 'utf8');
    const wanted = await text(now);
    if (wanted !== now) writeFileSync(path, wanted);
    console.log(`${wanted === now ? 'is current' : 'written   '}  ${relative(process.cwd(), path)}`);
  }
