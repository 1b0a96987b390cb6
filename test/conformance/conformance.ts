import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A request and its answer, both as they were sent. */
export interface Exchange {
  method: string;
  /** Path and query, as they were sent. */
  target: string;
  requestHeaders: Record<string, string | string[] | undefined>;
  requestBody: string;
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

interface Media {
  schema: object;
}
interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: object;
}
interface Operation {
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}
export interface OpenapiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

/**
 * An answer with one of these statuses means that the request was not understood. Such a request need not conform to
 * the document. Any other answer means that the gateway accepted the request, so the request has to conform. The status
 * 404 is not in this list: before the gateway answers that a resource does not exist, it has already checked the
 * request (B116).
 */
const misunderstood = [400, 401, 405, 408, 413, 415, 429, 431, 500, 501, 503];

const errorSchema = { $ref: '#/components/schemas/Error' };

/** Returns everything in an exchange that differs from the document. */
export type ConformanceCheck = (exchange: Exchange) => string[];

/**
 * Compares requests and answers with an OpenAPI document.
 * @param undocumented templates of paths that are served and intentionally not described
 */
export function makeConformanceCheck(
  { paths, components }: OpenapiDocument,
  undocumented: readonly string[],
): ConformanceCheck {
  const schemas = new Schemas(components);
  const templates = Object.keys(paths).map((template) => ({ template, pattern: patternOf(template) }));
  const hidden = undocumented.map(patternOf);
  return (exchange) => {
    const pathname = pathOf(exchange);
    const found =
      templates.find(({ template }) => template === pathname) ??
      templates.find(({ pattern }) => pattern.test(pathname));
    if (!found && (hidden.some((pattern) => pattern.test(pathname)) || isOfAdyen(pathname))) return [];
    const method = exchange.method === 'HEAD' ? 'get' : exchange.method.toLowerCase();
    const operation = found && paths[found.template]?.[method];
    const faults = operation
      ? [
          ...answerFaults(operation, exchange, schemas),
          ...requestFaults(operation, exchange, found.pattern, schemas),
        ]
      : refusalFaults(exchange, schemas);
    const { method: asked, target, status, body } = exchange;
    return faults.map((fault) => `${asked} ${target} ${status}: ${fault}\n${body.slice(0, 1000)}`);
  };
}

/** Whether the path belongs to Adyen's API. The path need not exist. Adyen's API has a format of its own for errors. */
function isOfAdyen(pathname: string): boolean {
  return pathname.startsWith('/v1/merchants/');
}

/** Returns the path of a target. The target may also be a whole URL, as proxies receive it (RFC 9112 §3.2.2). */
function pathOf({ target }: Exchange): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/, '') || '/';
  return path.split('?')[0] as string;
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

/**
 * Returns what is wrong with the answer to a request that no operation describes. That answer has to be a refusal in
 * the error envelope.
 */
function refusalFaults({ status, body }: Exchange, schemas: Schemas): string[] {
  if (status < 400) return ['the document has no such operation'];
  return schemas.faults(errorSchema, parsed(body));
}

function answerFaults({ responses }: Operation, exchange: Exchange, schemas: Schemas): string[] {
  const { status, headers, body, method } = exchange;
  const faults = headers['request-id'] === undefined ? ['there is no Request-Id'] : [];
  // If a test replaced the answer (POST /control/faults), any 5xx status is right, as long as the body is the error
  // envelope.
  if (status >= 500 && /A test replaced the real answer/.test(body))
    return [...faults, ...schemas.faults(errorSchema, parsed(body))];
  const response = responses[status];
  if (!response) return [...faults, 'the document does not describe this status'];
  if (method === 'HEAD' || body === '') return faults;
  const type = String(headers['content-type']).split(';')[0] as string;
  const media = response.content?.[type];
  if (!media) return [...faults, `the document does not describe an answer of ${type}`];
  const value = type === 'application/json' ? parsed(body) : body;
  return [...faults, ...schemas.faults(media.schema, value)];
}

/** Whether the answer says that the path does not exist. The gateway checks the path before the rest of the request. */
function isNoRoute({ status, body }: Exchange): boolean {
  return status === 404 && (parsed(body) as { error?: unknown } | undefined)?.error === 'routeNotFound';
}

function requestFaults(
  operation: Operation,
  exchange: Exchange,
  pattern: RegExp,
  schemas: Schemas,
): string[] {
  if (misunderstood.includes(exchange.status) || isNoRoute(exchange)) return [];
  const { requestBody, parameters = [] } = operation;
  const faults = parameters.flatMap((parameter) => parameterFaults(parameter, exchange, pattern, schemas));
  if (!requestBody) return faults;
  if (exchange.requestBody === '')
    return requestBody.required ? [...faults, 'the request lacks its body'] : faults;
  const [type, media] = Object.entries(requestBody.content)[0] as [string, Media];
  const value =
    type === 'application/json'
      ? parsed(exchange.requestBody)
      : Object.fromEntries(new URLSearchParams(exchange.requestBody));
  return [...faults, ...schemas.faults(media.schema, value).map((fault) => `the request's body: ${fault}`)];
}

function parameterFaults(
  parameter: Parameter,
  exchange: Exchange,
  pattern: RegExp,
  schemas: Schemas,
): string[] {
  const { name, required, schema } = parameter;
  const value = parameterOf(parameter, exchange, pattern);
  if (value === undefined) return required ? [`the request lacks ${name}`] : [];
  return schemas.textFaults(schema, value).map((fault) => `${name}: ${fault}`);
}

function parameterOf(parameter: Parameter, exchange: Exchange, pattern: RegExp): unknown {
  const { target, requestHeaders } = exchange;
  const url = new URL(target, 'http://gateway');
  if (parameter.in === 'header') return requestHeaders[parameter.name.toLowerCase()];
  if (parameter.in === 'query') return url.searchParams.get(parameter.name) ?? undefined;
  const encoded = pattern.exec(pathOf(exchange))?.groups?.[parameter.name];
  return encoded === undefined ? undefined : decodeURIComponent(encoded);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The schemas are compiled without checks and optimization, because the document itself is checked elsewhere, and most
 * schemas are seldom used.
 */
const quickly = { strict: false, validateSchema: false, code: { optimize: false } };

/** The document's schemas. Each is compiled when it is first used. */
class Schemas {
  #exact = new Ajv2020(quickly);
  /** Checks parameters. All of them are sent as text, so this checker converts them first. */
  #coercing = new Ajv2020({ ...quickly, coerceTypes: 'array' });
  #compiled = new Map<object, ValidateFunction>();
  /**
   * Maps the text of each schema to the compiled schema. Every operation describes the same refusals. Because of this
   * map, the schemas of these refusals are compiled only once.
   */
  #ofText = new Map<string, ValidateFunction>();

  constructor(components: object) {
    for (const ajv of [this.#exact, this.#coercing]) {
      formats.default(ajv);
      ajv.addSchema({ $id: 'document', components });
    }
  }

  faults(schema: object, value: unknown): string[] {
    return this.#faults(this.#exact, schema, value);
  }

  textFaults(schema: object, value: unknown): string[] {
    return this.#faults(this.#coercing, { type: 'object', properties: { value: schema } }, { value }, schema);
  }

  #faults(ajv: Ajv2020, schema: object, value: unknown, key = schema): string[] {
    let validate = this.#compiled.get(key);
    if (!validate) {
      validate = this.#compile(
        ajv,
        JSON.stringify(schema).replaceAll('"#/components', '"document#/components'),
      );
      this.#compiled.set(key, validate);
    }
    return validate(value) ? [] : [ajv.errorsText(validate.errors ?? null)];
  }

  #compile(ajv: Ajv2020, text: string): ValidateFunction {
    const named = `${ajv.opts.coerceTypes} ${text}`;
    const validate = this.#ofText.get(named) ?? ajv.compile(JSON.parse(text));
    this.#ofText.set(named, validate);
    return validate;
  }
}
