import { fillPath } from '../../client/api-client.ts';
import type { ControlClient } from '../../client/control-client.ts';
import { findMeantName } from '../../shared/did-you-mean.ts';
import { type Arguments, ToolError } from './tool.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: object;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly body: object | undefined;
}

interface Described {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: object }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Returns the control API's operations by name: `controlTapCard` in the document is `tapCard` here. */
export function readControlOperations(document: object): ReadonlyMap<string, Operation> {
  const { paths, components } = document as Document;
  const found = new Map<string, Operation>();
  for (const [path, item] of Object.entries(paths))
    for (const [method, described] of Object.entries(item)) {
      const { operationId = '', summary = '', parameters = [], requestBody } = described;
      if (!operationId.startsWith('control')) continue;
      const name = `${operationId.charAt(7).toLowerCase()}${operationId.slice(8)}`;
      const body = requestBody?.content?.['application/json']?.schema;
      found.set(name, {
        ...{ name, path, summary, method: method.toUpperCase() },
        parameters: parameters
          .filter(({ in: place, name: parameter }) => place !== 'header' && parameter !== 'format')
          .map((each) => ({ ...each, schema: whole(each.schema, components.schemas) })),
        body: body && whole(body, components.schemas),
      });
    }
  return found;
}

/**
 * Returns a schema in which the referenced schemas replace the references. Leaves out all examples and repeated
 * descriptions, because an agent pays for every word.
 */
function whole(schema: object, named: Document['components']['schemas']): object {
  const said = new Set<string>();
  const within = (value: unknown, around: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((each) => within(each, around));
    if (typeof value !== 'object' || value === null) return value;
    const name = '$ref' in value ? String(value.$ref).split('/').at(-1) : undefined;
    if (name !== undefined) return around.includes(name) ? {} : within(named[name], [...around, name]);
    const kept = Object.entries(value).filter(([key, each]) => {
      if (key !== 'description' || typeof each !== 'string')
        return key !== 'examples' || !Array.isArray(each);
      const isNew = !said.has(each);
      said.add(each);
      return isNew;
    });
    return Object.fromEntries(kept.map(([key, each]) => [key, within(each, around)]));
  };
  return within(schema, []) as object;
}

/** The arguments of a tool, in the form of a JSON schema. */
interface ToolArguments {
  readonly properties: Record<string, object>;
  readonly required: string[];
}

/**
 * Returns the arguments of a tool that makes one of these calls. If there are several calls, the argument `call` names
 * one of them. If `usual` is given, the argument `call` may be absent, and the tool then makes the call that `usual`
 * names.
 */
export function makeToolArgumentsSchema(
  operations: readonly Operation[],
  usual: string | undefined,
): ToolArguments {
  const [only] = operations;
  const properties = { ...parametersOf(operations), ...bodyOf(operations) };
  if (only && operations.length === 1)
    return {
      properties,
      required: only.parameters.filter(({ required }) => required).map(({ name }) => name),
    };
  const calls = operations.map(({ name, summary }) => `${name}: ${summary}`);
  const description = [...calls, ...(usual === undefined ? [] : [`${usual} unless given`])].join('\n');
  return {
    properties: {
      call: { type: 'string', enum: operations.map(({ name }) => name), description },
      ...properties,
    },
    required: usual === undefined ? ['call'] : [],
  };
}

function parametersOf(operations: readonly Operation[]): Record<string, object> {
  const found = new Map<string, { schema: object; description: string; uses: string[] }>();
  for (const { name, parameters } of operations)
    for (const { name: parameter, schema, description = '', required } of parameters) {
      const known = found.get(parameter) ?? { schema, description, uses: [] };
      known.uses.push(required ? `${name} (needed)` : name);
      found.set(parameter, known);
    }
  return Object.fromEntries(
    Array.from(found, ([name, { schema, description: what, uses }]) => {
      const where = operations.length === 1 ? '' : `for ${uses.join(', ')}`;
      const description = [what, where].filter(Boolean).join('; ');
      return [name, { ...schema, ...(description && { description }) }];
    }),
  );
}

function bodyOf(operations: readonly Operation[]): Record<string, object> {
  const bodies = operations.flatMap(({ name, body }) => (body ? [{ title: name, ...body }] : []));
  const [only] = bodies;
  if (!only) return {};
  if (bodies.length === 1) return { body: only };
  return {
    body: {
      anyOf: bodies,
      description:
        'The body of the call. The body has a different form for each call; the title of a form is the name of its call',
    },
  };
}

/**
 * Makes the control API's call that the agent has requested through a tool. The gateway checks the values in the call.
 * @throws ToolError, ApiError
 */
export async function callOperation(
  control: ControlClient,
  operations: readonly Operation[],
  args: Arguments,
): Promise<{ operation: Operation; answer: unknown }> {
  const operation = chosen(operations, args);
  const { body, call: _call, offset: _offset, ...given } = args;
  const parameters = new Map(operation.parameters.map((each) => [each.name, each]));
  const placed = { path: {} as Record<string, unknown>, query: {} as Record<string, unknown> };
  for (const [name, value] of Object.entries(given)) {
    const parameter = parameters.get(name);
    if (!parameter)
      throw new ToolError(
        `${operation.name} takes no "${name}"`,
        `Leave out this argument: the call takes ${[...parameters.keys(), ...(operation.body ? ['body'] : [])].join(', ') || 'nothing'}.`,
      );
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new ToolError(
        `"${name}" must be a string, a number, true or false`,
        'Call the tool again with a string, a number, true or false.',
      );
    placed[parameter.in === 'path' ? 'path' : 'query'][name] = value;
  }
  for (const { name, required } of parameters.values())
    if (required && (given[name] ?? '') === '')
      throw new ToolError(`${operation.name} needs "${name}"`, nextFor(name));
  // A value such as ".." would change the path of the call.
  if (Object.values(placed.path).some((value) => /^\.{1,2}$/.test(String(value))))
    throw new ToolError('there is nothing with that name', 'Use a name from the answer of another tool.');
  if (body !== undefined && !operation.body)
    throw new ToolError(`${operation.name} takes no "body"`, 'Leave it out.');
  return { operation, answer: await control.call(operation.method, fillPath(operation.path, placed), body) };
}

function chosen(operations: readonly Operation[], { call }: Arguments): Operation {
  const [first] = operations;
  if (operations.length === 1 && first && call === undefined) return first;
  const found = operations.find(({ name }) => name === call);
  if (found) return found;
  const names = operations.map(({ name }) => name);
  const meant = findMeantName(String(call).slice(0, 60), names);
  throw new ToolError(
    call === undefined ? 'the arguments do not say which call to make' : 'there is no such call',
    `Give "call": one of ${names.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`,
  );
}

function nextFor(name: string): string {
  const where: Record<string, string> = {
    terminalId:
      'Give the poi_id of a terminal. The tool "world" with "call": "listTerminals" lists the terminals.',
    paymentId: 'The tools "sales" and "journal" list the identifiers of payments.',
    saleId: 'The tool "sales" lists the sales.',
    moment: 'The tool "docs" with "page": "moments" has the names of the moments.',
  };
  return where[name] ?? 'Add it.';
}
