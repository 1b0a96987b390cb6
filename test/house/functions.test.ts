import type { ESTree } from 'rolldown/utils';
import { expect } from 'vitest';
import { testThoroughly } from '../optional-programs.ts';
import { parseSources, type Source } from './sources.ts';

const testInCi = testThoroughly();

/** A function has to be readable without scrolling. Lists and JSX inside a function are counted separately. */

const most = 70;

/** Parts of a function that contain no logic. Each of them counts as one line of the function around it. */
const apart: Record<string, (node: ESTree.Node) => boolean> = {
  'an endpoint, of which a resource has a list': (node) =>
    node.type === 'CallExpression' &&
    node.callee.type === 'Identifier' &&
    ['endpoint', 'defineEndpoint'].includes(node.callee.name),
  'JSX, which is what a component shows': (node) => node.type === 'JSXElement' || node.type === 'JSXFragment',
  'the states of a machine, from top to bottom': isMachine,
};

function isMachine(node: ESTree.Node): boolean {
  return (
    node.type === 'CallExpression' &&
    node.callee.type === 'MemberExpression' &&
    'name' in node.callee.property &&
    node.callee.property.name === 'createMachine'
  );
}

testInCi(`a function has at most ${most} lines, except endpoints, JSX and machines`, () => {
  const long = measured().flatMap(({ path, functions }) =>
    functions
      .filter(({ lines }) => lines > most)
      .map(({ at, lines }) => `${path}:${at} is a function of ${lines} lines: give its parts a name`),
  );
  expect(long).toEqual([]);
});

testInCi(`an endpoint and the JSX of a component have at most ${most} lines each`, () => {
  const long = measured().flatMap(({ path, pieces }) =>
    pieces
      .filter(({ lines }) => lines > most)
      .map(({ at, lines }) => `${path}:${at} is a piece of ${lines} lines: make components of it`),
  );
  expect(long).toEqual([]);
});

interface Measured {
  readonly at: number;
  readonly lines: number;
}

function measured() {
  return [...parseSources().values()]
    .filter(({ isTest }) => !isTest)
    .map((source) => ({ path: source.path, ...measure(source) }));
}

function measure({ program, text }: Source) {
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length;
  const linesOf = ({ start, end }: ESTree.Span) => lineOf(end) - lineOf(start) + 1;
  const functions: Measured[] = [];
  const pieces: Measured[] = [];
  /** Returns how many of a node's lines do not count for the function around the node. */
  const visit = (node: ESTree.Node, isInPiece: boolean): number => {
    const isPiece = Object.values(apart).some((is) => is(node));
    let left = 0;
    for (const child of childrenOf(node)) left += visit(child, isInPiece || isPiece);
    if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
      functions.push({ at: lineOf(node.start), lines: linesOf(node) - left });
    if (!isPiece) return left;
    if (!isInPiece && !isMachine(node)) pieces.push({ at: lineOf(node.start), lines: linesOf(node) });
    return linesOf(node) - 1;
  };
  visit(program, false);
  return { functions, pieces };
}

function childrenOf(node: ESTree.Node): ESTree.Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is ESTree.Node => typeof value === 'object' && value !== null && 'type' in value);
}
