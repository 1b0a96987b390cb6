import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { createRuntime } from '../shared/create-runtime.ts';
import { testThoroughly } from '../test/optional-programs.ts';
import { createGateway } from './index.ts';
import { makeGatewayOpenapiDocument } from './openapi.ts';

const testInCi = testThoroughly();

interface Media {
  schema: object;
  examples?: Record<string, { value: unknown }>;
}
interface Operation {
  operationId: string;
  tags: string[];
  security: object[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, Media> }>;
}
interface Document {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const document = makeGatewayOpenapiDocument('http://127.0.0.1:8080') as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
);

/**
 * Gives what the linter reports about these documents. `documents` has the name and the text of each document. All
 * documents are checked in one run, because the linter needs more time to start than to read two documents.
 */
async function lint(documents: Record<string, string>): Promise<{ problems: string; progress: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'pinpad-openapi-'));
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
  const cli = join(createRequire(import.meta.url).resolve('@redocly/cli/package.json'), '../bin/cli.js');
  const config = join(import.meta.dirname, '../redocly.yaml');
  const { promise, resolve } = Promise.withResolvers<{ problems: string; progress: string }>();
  execFile(
    process.execPath,
    [cli, 'lint', '--config', config, '--format', 'stylish', ...Object.keys(documents)],
    {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
    },
    (_error, problems, progress) => {
      rmSync(folder, { recursive: true });
      resolve({ problems, progress });
    },
  );
  return promise;
}

testInCi(
  'the OpenAPI document passes the linter without an error or warning, and a wrong document would not',
  async () => {
    const right = JSON.stringify(document);
    const wrong = right.replace('"operationId":"requestPayment"', '"operationId":"listTerminals"');
    const { problems, progress } = await lint({ 'right.json': right, 'wrong.json': wrong });
    expect(progress).toContain('right.json: validated');
    expect(problems.trim()).toMatch(/^wrong\.json:\n.* error +operation-operationId-unique [^\n]*$/);
  },
);

test('every example is valid by its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  // The document describes hundreds of answers. Most answers are refusals, and the refusals share a few schemas. Each
  // schema is compiled only once.
  const compiled = new Map<string, ValidateFunction>();
  const check = ({ schema, examples = {} }: Media, where: string) => {
    const referring = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
    const validate = compiled.get(referring) ?? ajv.compile(JSON.parse(referring));
    compiled.set(referring, validate);
    for (const [name, { value }] of Object.entries(examples))
      expect(validate(value) || validate.errors, `${where} ${name}`).toBe(true);
    return Object.keys(examples).length;
  };
  let checked = 0;
  for (const { operationId, requestBody, responses } of operations) {
    for (const media of Object.values(requestBody?.content ?? {}))
      checked += check(media, `${operationId} request`);
    for (const [status, { content = {} }] of Object.entries(responses))
      for (const media of Object.values(content)) checked += check(media, `${operationId} ${status}`);
  }
  expect(checked).toBeGreaterThan(100);
});

test('every request body has an example, and so has every success with a body', () => {
  for (const { operationId, requestBody, responses } of operations) {
    if (operationId === 'getOpenapi') continue;
    for (const { examples } of Object.values(requestBody?.content ?? {}))
      expect(Object.keys(examples ?? {}).length, `${operationId} request`).toBeGreaterThan(0);
    for (const { examples } of Object.values(responses['200']?.content ?? {}))
      expect(Object.keys(examples ?? {}).length, `${operationId} 200`).toBeGreaterThan(0);
  }
});

test('every operation has a unique name, a known tag, a request id and an error answer', () => {
  const names = operations.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const { operationId, tags: used, security, responses } of operations) {
    expect(
      used.every((tag) => tags.has(tag)),
      `${operationId} ${used}`,
    ).toBe(true);
    for (const [status, { headers = {} }] of Object.entries(responses))
      expect(Object.keys(headers), `${operationId} ${status}`).toContain('Request-Id');
    expect('401' in responses, operationId).toBe(security.length > 0);
  }
});

test('every path documents its answer to a wrong method, and which methods it has', () => {
  for (const { operationId, responses } of operations)
    expect(Object.keys(responses['405']?.headers ?? {}), operationId).toContain('Allow');
});

test('every parameter of a path is described', () => {
  for (const { path, operationId, parameters = [] } of operations) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(inPath, operationId).toEqual(named);
  }
});

test('the document is served without a token, and names the gateway that served it (B118)', async () => {
  const gateway = await createGateway({}, createRuntime());
  const response = await fetch(`${gateway.url}/openapi.json`);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual({
    ...JSON.parse(JSON.stringify(document)),
    servers: [{ url: gateway.url }],
  });
  await gateway.close();
});
