import { describe, expect, test } from 'vitest';
import { readProjectFile } from './code.ts';

/** Splits ARCHITECTURE.md into sentences, and tests that each sentence of a section has a check. */

/**
 * Proves that a sentence is true: a check, or a test in another file. A test is named by its title, or by the beginning
 * of its title.
 */
export type SentenceProof = (() => void) | readonly [file: string, title: string];

/** The proofs for each sentence of a section. The key is the beginning of the sentence. */
export type SentenceProofs = Readonly<Record<string, readonly SentenceProof[]>>;

export const houseTest = (title: string) => ['test/house.test.ts', title] as const;
export const engineTest = (title: string) => ['gateway/engine/engine.test.ts', title] as const;
export const memoryTest = (title: string) => ['terminal-emulator/terminal/memory.test.ts', title] as const;
export const historyInvariant = (says: string) => ['test/histories/invariants.ts', says] as const;

export function checkSection(section: string, shown: SentenceProofs): void {
  describe(`ARCHITECTURE.md, "${section}"`, () => {
    const sentences = sentencesOf(section);
    const of = (sentence: string) => Object.keys(shown).find((beginning) => sentence.startsWith(beginning));

    test('has a check for every sentence, and no check is for a sentence that is gone', () => {
      expect(sentences.filter((sentence) => of(sentence) === undefined)).toEqual([]);
      const said = new Set(sentences.map(of));
      expect(Object.keys(shown).filter((beginning) => !said.has(beginning))).toEqual([]);
    });

    test.each(Object.entries(shown))('%s', (_, by) => {
      for (const shows of by) {
        if (typeof shows === 'function') shows();
        else expect(codeOf(shows[0]), `${shows[0]} shows it by "${shows[1]}"`).toContain(shows[1]);
      }
    });
  });
}

/** The sections of the page, in its order. */
export function sections(): string[] {
  return Array.from(
    readProjectFile('ARCHITECTURE.md').matchAll(/^## (.*)$/gm),
    ([, section = '']) => section,
  );
}

/**
 * Returns a file's code without comments and without skipped tests, because neither of them shows that a sentence is
 * true.
 */
function codeOf(path: string): string {
  return readProjectFile(path)
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)|\.(skip|todo)\(/.test(line))
    .join('\n');
}

/** The sentences of a section, without its tables and pictures. */
function sentencesOf(section: string): string[] {
  const [, text = ''] = readProjectFile('ARCHITECTURE.md').split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return own
    .replace(/```[\s\S]*?```/g, '')
    .split('\n\n')
    .filter((paragraph) => !paragraph.trim().startsWith('|'))
    .flatMap((paragraph) => paragraph.replaceAll('\n', ' ').split(/(?<=\.)\s+(?=[A-Z*`])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** Returns each room together with its map in the section "Inside the rooms". */
export function readRoomMaps(): [room: string, map: string][] {
  const [, all = ''] = readProjectFile('ARCHITECTURE.md').split('\n## Inside the rooms\n');
  const [own = ''] = all.split('\n## ');
  return own
    .split(/\n(?=\*\*`)/)
    .slice(1)
    .map((map) => [/^\*\*`([\w/-]+)\/`/.exec(map)?.[1] ?? '', map]);
}
