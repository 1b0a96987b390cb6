import { parseSync, Visitor } from 'rolldown/utils';

/** A small change of a source file that some test should detect. */
export interface Mutation {
  /** The beginning and end of the text that is replaced. */
  start: number;
  end: number;
  before: string;
  after: string;
}

const operators: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '&': '|',
  '|': '&',
  '^': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '++': '--',
  '--': '++',
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
};

interface Range {
  start: number;
  end: number;
}

/** Returns every mutation of a TypeScript source, in the order of the text. Types are not changed. */
export function mutationsOf(path: string, source: string): Mutation[] {
  const found: Mutation[] = [];
  const types: Range[] = [];
  const replace = ({ start, end }: Range, after: string) =>
    found.push({ start, end, before: source.slice(start, end), after });
  const replaceFirst = (text: string, from: number, after: string) => {
    const start = source.indexOf(text, from);
    replace({ start, end: start + text.length }, after);
  };
  const swapOperator = (operator: string, from: number) => {
    const other = operators[operator];
    if (other !== undefined) replaceFirst(operator, from, other);
  };
  const negate = (test: Range) => replace(test, `!(${source.slice(test.start, test.end)})`);
  const requireValue = (node: { optional: boolean }, object: Range) => {
    if (node.optional)
      replaceFirst(
        '?.',
        object.end,
        /^\?\.[[(]/.test(source.slice(source.indexOf('?.', object.end))) ? '' : '.',
      );
  };

  new Visitor({
    BinaryExpression: (node) => {
      if (!isText(node.left) && !isText(node.right)) swapOperator(node.operator, node.left.end);
    },
    LogicalExpression: (node) => swapOperator(node.operator, node.left.end),
    AssignmentExpression: (node) => swapOperator(node.operator, node.left.end),
    UpdateExpression: (node) => swapOperator(node.operator, node.prefix ? node.start : node.argument.end),
    UnaryExpression: (node) => {
      if (node.operator === '!') replace({ start: node.start, end: node.start + 1 }, '');
    },
    Literal: (node) => {
      if (typeof node.value === 'boolean') replace(node, String(!node.value));
      if (typeof node.value === 'number') replace(node, String(node.value + 1));
    },
    IfStatement: (node) => negate(node.test),
    ConditionalExpression: (node) => negate(node.test),
    MemberExpression: (node) => requireValue(node, node.object),
    CallExpression: (node) => requireValue(node, node.callee),
    ExpressionStatement: (node) => {
      const isSuper = node.expression.type === 'CallExpression' && node.expression.callee.type === 'Super';
      if (!isSuper) replace(node, ';');
    },
    TSLiteralType: (node) => types.push(node),
    TSEnumDeclaration: (node) => types.push(node),
  }).visit(parseSync(path, source).program);

  return found
    .filter(({ start }) => !types.some((type) => start >= type.start && start < type.end))
    .sort((one, other) => one.start - other.start || one.end - other.end);
}

/** Returns the source after the mutation. */
export function applyMutation(source: string, { start, end, after }: Mutation): string {
  return source.slice(0, start) + after + source.slice(end);
}

function isText(node: { type: string; value?: unknown }): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}
