import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface Document {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>
  >;
  components: object;
}

/** Checks answers against an OpenAPI document; throws where one is not what it describes. */
export type Conforms = (
  method: string,
  path: string,
  reply: { status: number; body: unknown; text: string },
) => void;

export function conformance(document: object): Conforms {
  const { paths, components } = document as Document;
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'document', components });
  const compiled = new Map<object, ValidateFunction>();
  const validator = (schema: object): ValidateFunction => {
    let validate = compiled.get(schema);
    if (!validate) {
      const referring = JSON.stringify(schema).replaceAll('"#/components', '"document#/components');
      validate = ajv.compile(JSON.parse(referring));
      compiled.set(schema, validate);
    }
    return validate;
  };
  return (method, path, { status, body, text }) => {
    const pathname = path.split('?')[0] as string;
    const template =
      Object.keys(paths).find((known) => known === pathname) ??
      Object.keys(paths).find((known) =>
        new RegExp(`^${known.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
      );
    const operation = template === undefined ? undefined : paths[template]?.[method.toLowerCase()];
    if (!operation) return;
    const response = operation.responses[status];
    if (!response) throw new Error(`${method} ${template} does not describe ${status}: ${text}`);
    const schema = response.content?.['application/json']?.schema;
    if (!schema || body === undefined) return;
    const validate = validator(schema);
    if (!validate(body))
      throw new Error(`${method} ${template} ${status}: ${ajv.errorsText(validate.errors ?? null)}\n${text}`);
  };
}
