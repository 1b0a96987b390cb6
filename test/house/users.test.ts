import { expect, test } from 'vitest';
import { declarationOf, parseSources } from './sources.ts';

/**
 * Tests do not count as users of a name, so a name that only tests need has to be in a fixture. The files of
 * fixtures end in `.fixture.ts`, except in test/.
 */

const product = [...parseSources().values()].filter(({ isTest }) => !isTest);

/** Files that users of the package import or start, and generated files. */
const published = /^(cli\/main|client\/(index|openapi-types|control-client)|testing\/(index|vitest))\.ts$/;

/** Names that are loaded through a computed name, or that the compiler needs in the declarations of other files. */
const named = ['runCompiled'];

test('an export has a user in the product, not only in tests', () => {
  const used = new Set(
    product.flatMap(({ imported, loaded, passedOn }) =>
      [...imported, ...loaded, ...passedOn.values()].map(declarationOf),
    ),
  );
  const usedWhole = new Set(product.flatMap(({ importedWhole }) => importedWhole));
  const unused = product
    .filter(({ path }) => !published.test(path) && !usedWhole.has(path))
    .flatMap(({ path, exported, text }) =>
      [...exported]
        .filter((name) => !used.has(`${path} ${name}`) && !named.includes(name))
        .filter((name) => timesNamed(name, text) < 2)
        .map((name) => `${path} exports ${name}, which only tests use: move it to a fixture`),
    );
  expect(unused).toEqual([]);
});

function timesNamed(name: string, text: string): number {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '');
  return code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
}

test('the index of a room exports only what other rooms use, not only tests', () => {
  const used = new Set(
    product.flatMap(({ imported }) => imported.map(({ from, name }) => `${from} ${name}`)),
  );
  for (const { passedOn } of product)
    for (const { from, name } of passedOn.values()) used.add(`${from} ${name}`);
  const unused = product
    .filter(({ path }) => /^[a-z-]+\/index\.ts$/.test(path) && !published.test(path))
    .flatMap(({ path, passedOn }) =>
      [...passedOn.keys()]
        .filter((name) => !used.has(`${path} ${name}`) && !loadsWhole(path, name))
        .map((name) => `${path} passes on ${name}, which only tests use: they can import it where it is`),
    );
  expect(unused).toEqual([]);
});

/**
 * Whether one of the product's files contains this name and also loads the room's whole door (entry file) at run time.
 */
function loadsWhole(door: string, name: string): boolean {
  const [room = ''] = door.split('/');
  return product.some(({ text }) => text.includes(`${room}/index.ts')`) && timesNamed(name, text) > 0);
}

test('the product imports no fixture', () => {
  const users = product
    .filter(({ room }) => !['bench', 'scripts'].includes(room))
    .flatMap(({ path, imported }) =>
      imported
        .filter(({ from }) => from.startsWith('test/') || /\.(test|fixture)\.tsx?$/.test(from))
        .map(({ from }) => `${path} uses ${from}`),
    );
  expect(users).toEqual([]);
});

test('the name of a fixture ends in .fixture.ts', () => {
  const others = [...parseSources().keys()].filter(
    (path) =>
      /\.(testing|harness|mock|stub|fake|helper|spec)\.tsx?$/.test(path) || /\.fixture\.(?!tsx?$)/.test(path),
  );
  expect(others).toEqual([]);
});
