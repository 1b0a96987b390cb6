import { parseSync } from 'rolldown/utils';
import { textTable } from '../../bench/table.ts';
import { parseSources } from './sources.ts';

/**
 * Counts hard sentences: sentences in comments that a reader has to read twice. Five patterns find them. `npm run
 * sentences` prints the counts of each room. With a room's name (`npm run sentences -- gateway`) it prints that room's
 * sentences too.
 */

/** What makes a sentence hard, and how to write it plainly. */
const patterns: Record<string, RegExp> = {
  'begins with a noun clause (name the subject)':
    /^(What|Who|Whoever|Whose|Those (that|who|which)|That which)\b/,
  '"where" for "if"': /(,|^|\band|\bor) where (it|there|they|one|no|none|nobody|a|an|the|that|this|so)\b/i,
  'nobody, somebody, others or whoever as an actor':
    /\b(nobody|somebody|anybody|whoever|others|who has|who is|who was)\b/i,
  '"so many" for a number': /\bso (many|much|long|often)\b/i,
  'no verb but a clause\'s, after "of"': /^(Of|For|With|By) (what|whom|those|which|whoever)\b/i,
};

export interface RoomSentences {
  readonly room: string;
  readonly sentences: number;
  /** The sentences that match at least one pattern. */
  readonly hard: readonly { readonly path: string; readonly sentence: string }[];
  readonly byPattern: Record<string, number>;
}

export function sentencesByRoom(): RoomSentences[] {
  const rooms = new Map<string, { path: string; sentence: string }[]>();
  for (const { path, room, text, isTest } of parseSources().values())
    if (!isTest && path !== 'client/openapi-types.ts') {
      const all = rooms.get(room) ?? [];
      rooms.set(room, all);
      all.push(...sentencesOf(path, text).map((sentence) => ({ path, sentence })));
    }
  return [...rooms].map(([room, all]) => {
    const matches = (sentence: string) => Object.values(patterns).some((pattern) => pattern.test(sentence));
    const count = (pattern: RegExp) => all.filter(({ sentence }) => pattern.test(sentence)).length;
    return {
      room,
      sentences: all.length,
      hard: all.filter(({ sentence }) => matches(sentence)),
      byPattern: Object.fromEntries(
        Object.entries(patterns).map(([name, pattern]) => [name, count(pattern)]),
      ),
    };
  });
}

/**
 * Returns the sentences of a file's comments. Comments that follow each other on lines of their own are one text, and
 * code in them counts as one word.
 */
function sentencesOf(path: string, text: string): string[] {
  const { comments } = parseSync(path, text);
  const texts: string[] = [];
  let end = -1;
  for (const comment of comments) {
    const goesOn = comment.type === 'Line' && /^\s*$/.test(text.slice(end, comment.start)) && end >= 0;
    const own = comment.value.replaceAll(/^\s*\* ?/gm, ' ').replace(/@example[\s\S]*/, '');
    if (goesOn) texts.push(`${texts.pop()} ${own}`);
    else texts.push(own);
    end = comment.type === 'Line' ? comment.end : -1;
  }
  return texts.flatMap((each) =>
    each
      .replaceAll(/`[^`]*`|\{@link [^}]*\}/g, 'CODE')
      .replaceAll(/\s+/g, ' ')
      .split(/(?<=[.!?:;])\s+|@\w+ /)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence.split(' ').length > 2),
  );
}

if (process.argv[1] === import.meta.filename) {
  const [, , only] = process.argv;
  const rooms = sentencesByRoom();
  const share = (hard: number, of: number) => `${((100 * hard) / Math.max(1, of)).toFixed(0)} %`;
  console.log(
    textTable([
      ['room', 'sentences', 'hard', '', ...Object.keys(patterns).map((_, index) => `${index + 1}`)],
      ...rooms.map(({ room, sentences, hard, byPattern }) => [
        ...[room, `${sentences}`, `${hard.length}`, share(hard.length, sentences)],
        ...Object.values(byPattern).map(String),
      ]),
    ]),
  );
  for (const [index, name] of Object.keys(patterns).entries()) console.log(`${index + 1}: ${name}`);
  for (const { path, sentence } of rooms.find(({ room }) => room === only)?.hard ?? [])
    console.log(`${path}: ${sentence}`);
}
