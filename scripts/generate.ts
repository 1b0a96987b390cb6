import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { clientTypesFile, clientTypesText } from './client-types.ts';
import { cardsPagePath, withCardsTable } from './docs-cards.ts';
import { momentsPagePath, withMomentsTables } from './docs-moments.ts';
import { outcomesPagePath, withEndingsTable } from './docs-outcomes.ts';
import { pagesWithEnumerations } from './enumerations.ts';
import { freshSchemaFiles } from './fresh-schemas.ts';
import { scenarioSchemaFile, scenarioSchemaText } from './scenario-schema.ts';
import { drawScreenshotSvg, screenshotPath } from './screenshot.ts';

/**
 * A file of the repository that a program writes. The program writes either the whole text or only the parts between
 * marks. A test fails if the file is out of date.
 */
export interface GeneratedFile {
  path: string;
  /** Returns the text that the file should have. `now` is the current text of the file. */
  text(now: string): string | Promise<string>;
}

export const generatedFiles: readonly GeneratedFile[] = [
  { path: clientTypesFile, text: clientTypesText },
  { path: scenarioSchemaFile, text: scenarioSchemaText },
  { path: cardsPagePath, text: withCardsTable },
  { path: outcomesPagePath, text: withEndingsTable },
  { path: momentsPagePath, text: withMomentsTables },
  { path: screenshotPath, text: drawScreenshotSvg },
  ...pagesWithEnumerations,
  ...freshSchemaFiles,
];

/**
 * Reads a generated file. If the file does not exist yet, for example because its list entry is new, returns an empty
 * text.
 */
export function readCurrentText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

if (import.meta.main)
  for (const { path, text } of generatedFiles) {
    const now = readCurrentText(path);
    const wanted = await text(now);
    if (wanted !== now) writeFileSync(path, wanted);
    console.log(`${wanted === now ? 'is current' : 'written   '}  ${relative(process.cwd(), path)}`);
  }
