import { expect } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { type DeclarationKey, declarationOf, parseSources, type Source } from './sources.ts';

const testInCi = testThoroughly();

/** Checks that a name has only one meaning within a file and within a room. */

/** Families of files. All files of a family export the same names, and the import says which file is meant. */
const families: Record<string, RegExp> = {
  'tables of what moves, with their states and steps':
    /^gateway\/((payments|credits|saved-cards)\/(core\/\w[\w-]*|\w+-engine)|webhooks\/lifecycle)\.ts$/,
  migrations: /\/migrations\/\d{4}-[\w-]+\.ts$/,
};

/**
 * Matches the door (entry file) of a room. A door loads the room's code when one of the door's exports is first
 * called.
 */
const doors = /^[a-z-]+\/index\.ts$/;

function isOneFamily(declarations: readonly string[]): boolean {
  const members = declarations.map((declaration) => declaration.split(' ')[0] as string);
  return Object.values(families).some((family) => members.every((member) => family.test(member)));
}

testInCi('no file imports one name with two meanings, or has its own beside it', () => {
  const broken = [...parseSources().values()].flatMap((source) =>
    [...meaningsIn(source)]
      .filter(([, meanings]) => meanings.size > 1 && !isOneFamily([...meanings]))
      .filter(([, meanings]) => !(doors.test(source.path) && meanings.has(source.path as DeclarationKey)))
      .map(([name, meanings]) => `${source.path}: ${name} is ${[...meanings].join(' and ')}: rename one`),
  );
  expect(broken).toEqual([]);
});

function meaningsIn({ path, imported, exported }: Source): Map<string, Set<DeclarationKey>> {
  const meanings = new Map<string, Set<DeclarationKey>>();
  for (const { name, from } of imported) {
    if (!parseSources().has(from)) continue;
    meanings.set(name, (meanings.get(name) ?? new Set()).add(declarationOf({ name, from })));
  }
  for (const name of exported) meanings.get(name)?.add(`${path} ${name}`);
  return meanings;
}

testInCi('an exported name has one meaning within a room', () => {
  const declared = new Map<string, string[]>();
  for (const { path, room, isTest, exported } of parseSources().values()) {
    if (isTest || doors.test(path)) continue;
    for (const name of exported) {
      const key = `${room}/: ${name}`;
      declared.set(key, [...(declared.get(key) ?? []), path]);
    }
  }
  const broken = [...declared]
    .filter(([, paths]) => paths.length > 1 && !isOneFamily(paths))
    .map(([name, paths]) => `${name} is exported by ${paths.join(' and ')}: rename one`);
  expect(broken).toEqual([]);
});
