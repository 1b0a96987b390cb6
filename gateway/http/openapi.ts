import { z } from 'zod';
import type { AnyEndpoint, ResponseDescription } from './endpoint.ts';
import { type ErrorCode, errorTable } from './errors.ts';
import { type JsonSchema, SchemaComponentCollector } from './schema-components.ts';

interface DocumentInfo {
  title: string;
  version: string;
  description: string;
  tags: readonly { name: string; description: string }[];
  serverUrl?: string;
}

const errorSchema = z
  .object({
    error: z.string().meta({ description: 'The error code' }),
    message: z.string().meta({ description: 'An explanation for people' }),
    declineCode: z
      .string()
      .optional()
      .meta({ description: 'The reason for the decline; only with cardDeclined' }),
    debit_id: z.string().optional().meta({ description: 'The debit that failed; only with cardDeclined' }),
    candidates: z
      .array(
        z.object({
          saleId: z.string(),
          accountId: z.string().nullable(),
          saleReferenceId: z.string().nullable(),
          idempotencyKey: z.string().nullable(),
          startedAt: z.iso.datetime(),
        }),
      )
      .optional()
      .meta({
        description:
          'The sales that match the request. Present only if the error is `conflict` because a request about one sale matches several sales',
      }),
    details: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({
        description:
          'One entry for each wrong field. If the whole request is wrong, the path of the entry is empty. Only with invalidRequest',
      }),
  })
  .meta({ id: 'Error', description: 'The envelope of every error' });

const requestIdHeader = {
  description:
    'The name of this call in the log. It is the Request-Id of the request, if the request has one',
  schema: { type: 'string' },
};

const errorHeaders: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthorized: { 'WWW-Authenticate': 'Bearer' },
  rateLimited: { 'Retry-After': 'The number of seconds to wait before the next request' },
  unavailable: {
    'Retry-After': 'The number of seconds to wait before the next request, if the gateway cannot write',
  },
  methodNotAllowed: { Allow: 'The methods that the path supports' },
};

/**
 * Makes the OpenAPI 3.1 document of the endpoints. The document is made from the schemas that also validate requests.
 */
export function makeOpenapiDocument(all: readonly AnyEndpoint[], info: DocumentInfo): JsonSchema {
  const endpoints = all.filter(({ documented }) => documented !== false);
  const components = collectSchemas(endpoints);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    (paths[endpoint.path] as JsonSchema)[endpoint.method] = operation(endpoint, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: info.version,
      description: info.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: info.serverUrl ?? '/' }],
    tags: info.tags.filter(({ name }) => endpoints.some((endpoint) => endpoint.tag === name)),
    paths,
    components: {
      schemas: components.all(),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token of an account' },
        control: { type: 'http', scheme: 'bearer', description: 'The control token, printed at start' },
      },
    },
  };
}

function collectSchemas(endpoints: readonly AnyEndpoint[]): SchemaComponentCollector {
  const components = new SchemaComponentCollector();
  components.add(errorSchema, 'output');
  for (const { params, query, headers, body, responses } of endpoints) {
    for (const schema of [params, query, headers, body]) components.add(schema, 'input');
    for (const response of Object.values(responses)) components.add(response.schema, 'output');
  }
  return components;
}

function operation(endpoint: AnyEndpoint, components: SchemaComponentCollector): JsonSchema {
  const parameters = [
    ...parametersIn('path', endpoint.params, components),
    ...parametersIn('query', endpoint.query, components),
    ...parametersIn('header', endpoint.headers, components),
  ];
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    security: endpoint.guard === 'open' ? [] : [{ [endpoint.guard]: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.bodyOptional,
        content: {
          [endpoint.bodyType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json']: {
            schema: components.use(endpoint.body, 'input'),
            ...examples(endpoint.bodyExamples),
          },
        },
      },
    }),
    responses: responses(endpoint, components),
  };
}

function parametersIn(
  place: 'path' | 'query' | 'header',
  schema: z.ZodObject | undefined,
  components: SchemaComponentCollector,
): JsonSchema[] {
  if (!schema) return [];
  const { properties, required } = components.properties(schema);
  return Object.entries(properties).map(([name, { description, ...json }]) => ({
    name: place === 'header' ? capitalized(name) : name,
    in: place,
    required: required.includes(name),
    description,
    schema: json,
  }));
}

function responses(endpoint: AnyEndpoint, components: SchemaComponentCollector): JsonSchema {
  const described: [string, unknown][] = Object.entries(endpoint.responses).map(([status, description]) => [
    status,
    success(description, components),
  ]);
  const byStatus = Map.groupBy(errorsOf(endpoint), (code) => String(errorTable[code].status));
  for (const [status, codes] of byStatus) described.push([status, failure(codes, components)]);
  return Object.fromEntries(described.sort(([a], [b]) => Number(a) - Number(b)));
}

function success(response: ResponseDescription, components: SchemaComponentCollector): JsonSchema {
  const { description, schema, headers = {}, contentType = 'application/json', alsoAs = {} } = response;
  const alternatives = Object.entries(alsoAs).map(([type, example]) => [
    type,
    { schema: { type: 'string' }, ...examples({ text: example }) },
  ]);
  return {
    description,
    headers: headerObjects(headers),
    ...(schema && {
      content: {
        [contentType]: { schema: components.use(schema, 'output'), ...examples(response.examples) },
        ...Object.fromEntries(alternatives),
      },
    }),
  };
}

function failure(codes: ErrorCode[], components: SchemaComponentCollector): JsonSchema {
  const shown = Object.fromEntries(
    codes.map((code) => [code, { error: code, message: errorTable[code].message }]),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join('\n\n'),
    headers: headerObjects(Object.assign({}, ...codes.map((code) => errorHeaders[code]))),
    content: { 'application/json': { schema: components.use(errorSchema, 'output'), ...examples(shown) } },
  };
}

/**
 * Gives the codes of all errors that an endpoint can answer: its own codes, and the codes that follow from the
 * endpoint's guard and inputs.
 */
function errorsOf(endpoint: AnyEndpoint): ErrorCode[] {
  const { guard, params, query, headers, body } = endpoint;
  const codes: ErrorCode[] = [...(endpoint.errors ?? [])];
  if (guard !== 'open') codes.push('unauthorized');
  if (guard === 'token') codes.push('rateLimited');
  if (endpoint.sandboxOnly) codes.push('notImplemented');
  if (params ?? query ?? headers ?? body) codes.push('invalidRequest');
  if (body) codes.push('invalidJson', 'payloadTooLarge', 'unsupportedMediaType');
  // Every operation lists the error methodNotAllowed. A path answers with this error if it does not have the method.
  // OpenAPI has no other place for this answer.
  codes.push('methodNotAllowed', 'internalError', 'unavailable');
  return [...new Set(codes)];
}

function headerObjects(headers: Record<string, string>): JsonSchema {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return { 'Request-Id': requestIdHeader, ...Object.fromEntries(described) };
}

function examples(values: Record<string, unknown> | undefined): { examples?: JsonSchema } {
  if (!values || Object.keys(values).length === 0) return {};
  return {
    examples: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name.replaceAll(/[^\w.-]+/g, '-'), { value }]),
    ),
  };
}

/** Gives the usual spelling of a header: idempotency-key becomes Idempotency-Key. */
function capitalized(header: string): string {
  return header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}
