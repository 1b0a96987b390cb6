import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;
type Direction = 'input' | 'output';

const definitions = '#/$defs/';

/**
 * Turns zod schemas into JSON schemas. `components.schemas` contains each named part (`.meta({ id })`) once.
 *
 * If a field has a default, the field is optional in requests, but answers always have it. So one name can stand for
 * two schemas. The schema for requests is then called NAMEInput.
 */
export class SchemaComponentCollector {
  #converted = new Map<z.ZodType, { input?: JsonSchema; output?: JsonSchema }>();
  #named: Record<Direction, Map<string, JsonSchema>> = { input: new Map(), output: new Map() };

  /** Adds the named parts of a schema. Call this for all schemas before the first {@link use}. */
  add(schema: z.ZodType | undefined, direction: Direction): void {
    if (!schema || this.#converted.get(schema)?.[direction]) return;
    const {
      $schema: _,
      $defs = {},
      ...json
    } = z.toJSONSchema(schema, { io: direction, override: removeNoise }) as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    for (const [name, definition] of Object.entries($defs)) this.#named[direction].set(name, definition);
    this.#converted.set(schema, { ...this.#converted.get(schema), [direction]: json });
  }

  /** Gives the schema in the form in which the document contains it, with references to the components. */
  use(schema: z.ZodType, direction: Direction): JsonSchema {
    const json = this.#converted.get(schema)?.[direction];
    if (!json) throw new Error('a schema must be added before it is used');
    return this.#withReferences(json, direction) as JsonSchema;
  }

  /**
   * Gives the properties of a schema one by one, because parameters need them in this form. If the schema is a
   * reference, gives the properties of the schema to which it refers.
   */
  properties(schema: z.ZodObject): { properties: Record<string, JsonSchema>; required: string[] } {
    const json = this.#converted.get(schema)?.input as JsonSchema;
    const name = typeof json.$ref === 'string' ? json.$ref.slice(definitions.length) : undefined;
    const resolved = name === undefined ? json : (this.#named.input.get(name) as JsonSchema);
    const { properties = {}, required = [] } = resolved as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
    };
    return { properties: this.#withReferences(properties, 'input') as Record<string, JsonSchema>, required };
  }

  /** All named schemas, for `components.schemas`. */
  all(): Record<string, JsonSchema> {
    const components: Record<string, JsonSchema> = {};
    for (const direction of ['output', 'input'] as const) {
      for (const [name, definition] of this.#named[direction])
        components[this.#nameOf(name, direction)] = this.#withReferences(definition, direction) as JsonSchema;
    }
    return Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #nameOf(name: string, direction: Direction): string {
    return direction === 'input' && this.#differs(name, new Set()) ? `${name}Input` : name;
  }

  /**
   * Returns whether a name means different schemas for requests and answers. The difference may lie in another schema
   * to which both schemas refer.
   */
  #differs(name: string, seen: Set<string>): boolean {
    const input = this.#named.input.get(name);
    const output = this.#named.output.get(name);
    if (!input || !output || seen.has(name)) return false;
    seen.add(name);
    if (JSON.stringify(input) !== JSON.stringify(output)) return true;
    return namesIn(input).some((inner) => this.#differs(inner, seen));
  }

  /** Copies a value, and makes its references point to the components. */
  #withReferences(value: unknown, direction: Direction): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#withReferences(item, direction));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string'
          ? `#/components/schemas/${this.#nameOf(inner.slice(definitions.length), direction)}`
          : this.#withReferences(inner, direction),
      ]),
    );
  }
}

function namesIn(definition: JsonSchema): string[] {
  return [...JSON.stringify(definition).matchAll(/"#\/\$defs\/([^"]+)"/g)].map((match) => match[1] as string);
}

/** Removes details that zod adds and that readers of the document do not need. */
function removeNoise({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: JsonSchema;
}): void {
  const definition = zodSchema._zod.def as z.core.$ZodObjectDef;
  // The schema of an answer must allow other fields, because a later release may add fields. Otherwise a client that
  // checks answers strictly would fail with such a release.
  if (definition.type === 'object' && !definition.catchall) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if ('example' in jsonSchema) {
    jsonSchema.examples = [jsonSchema.example];
    delete jsonSchema.example;
  }
}
