import { z } from 'zod';

type Schema = z.core.$ZodType;

/**
 * Writes the source text of a condition on a variable, whose name is the argument. For `z.string().min(1)` and the name
 * `value`, the source text is `(typeof value === 'string' && true && true && value.length >= 1)`.
 */
type Condition = (value: string) => string;

/**
 * A condition that is false for every value. So every value is parsed with the schema instead. It is used for each kind
 * of schema that this code does not know.
 */
const alwaysFalse: Condition = () => 'false';
/** The formats of text that zod checks by their pattern alone. */
const patterns = new Set(['regex', 'uuid']);

/**
 * Makes a check from a schema. The check returns true if parsing would return the very same value. The check copies
 * nothing, so it costs a fraction of parsing. If the check returns false, the caller has to parse the value. Parsing
 * may accept the value, or reports what is wrong. The check is compiled for its schema, because one function that
 * serves all schemas would be slow. zod compiles its own checks too. If compiling is not allowed, the check always
 * returns false.
 * @example const fitsAmount = compileCheck(amount); const parsed = fitsAmount(value) ? value : amount.parse(value);
 *
 */
export function compileSchemaCheck<Value extends z.ZodType>(
  schema: Value,
): (value: unknown) => value is z.output<Value> {
  let check: ((value: unknown) => boolean) | undefined;
  return (value): value is z.output<Value> => {
    check ??= compiled(schema);
    return check(value);
  };
}

/** Compiles the check when it is first needed, because a start needs few checks. */
function compiled(schema: Schema): (value: unknown) => boolean {
  if (!z.core.util.allowsEval.value) return () => false;
  const source = new CheckSource();
  const condition = source.conditionOf(schema)('value');
  const text = `${source.functions.join('\n')}\nreturn (value) => ${condition};`;
  return new Function('known', text)(source.known);
}

/** The functions and values that the source text of a check needs besides its condition. */
class CheckSource {
  readonly functions: string[] = [];
  /** The values that the source text uses. The source text contains `known[0]` for the first of these values. */
  readonly known: unknown[] = [];

  conditionOf(schema: Schema): Condition {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    switch (def.type) {
      case 'object':
        return def.catchall || def.checks?.length ? alwaysFalse : this.#object(def.shape);
      case 'array':
        return this.#array(this.conditionOf(def.element), this.#rules(def.checks));
      case 'union':
        return 'discriminator' in def ? this.#union(def as z.core.$ZodDiscriminatedUnionDef) : alwaysFalse;
      case 'optional':
        return this.conditionOf(def.innerType);
      case 'string':
        return def.coerce ? alwaysFalse : stringCondition(this.#rules([def, ...(def.checks ?? [])]));
      case 'number':
        return def.coerce ? alwaysFalse : numberCondition(this.#rules([def, ...(def.checks ?? [])]));
      case 'boolean':
        return def.coerce || def.checks?.length ? alwaysFalse : (value) => `typeof ${value} === 'boolean'`;
      case 'literal':
      case 'enum': {
        const values = this.#name(schema._zod.values ?? new Set());
        return (value) => `${values}.has(${value})`;
      }
      default:
        return alwaysFalse;
    }
  }

  /**
   * Requires every required field and refuses unknown ones, because parsing would return a copy without the unknown
   * fields. The check counts the fields that fit, and subtracts the number of all fields of the value. The difference
   * is 0 only if the value has no unknown fields.
   */
  #object(shape: Readonly<Record<string, Schema>>): Condition {
    const members = Object.entries(shape).map(([name, schema]) => {
      const optional = (schema as z.core.$ZodTypes)._zod.def.type === 'optional';
      return `
        member = value[${JSON.stringify(name)}];
        if (member !== undefined) {
          if (!(${this.conditionOf(schema)('member')})) return false;
          fitting++;
        }${optional ? '' : ' else return false;'}`;
    });
    return this.#function(`
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
      let fitting = 0;
      let member;
      ${members.join('')}
      for (const _name in value) fitting--;
      return fitting === 0;`);
  }

  #array(element: Condition, rules: Condition | undefined): Condition {
    if (!rules) return alwaysFalse;
    return this.#function(`
      if (!Array.isArray(value) || !(${rules('value')})) return false;
      for (const element of value) if (!(${element('element')})) return false;
      return true;`);
  }

  /** Chooses the option that lists the discriminator's value. */
  #union({ discriminator, options }: z.core.$ZodDiscriminatedUnionDef): Condition {
    const cases = options.map((option) => {
      const values = [...(option._zod.propValues?.[discriminator] ?? [])];
      const labels = values.map((value) => `case ${JSON.stringify(value)}:`).join(' ');
      return labels && `${labels} return ${this.conditionOf(option)('value')};`;
    });
    return this.#function(`
      if (typeof value !== 'object' || value === null) return false;
      switch (value[${JSON.stringify(discriminator)}]) { ${cases.join('\n')} }
      return false;`);
  }

  /**
   * Returns one condition for all of a schema's rules except the type. Returns undefined if this code does not know one
   * of the rules.
   */
  #rules(checks: readonly object[] = []): Condition | undefined {
    const rules = checks.map((check) =>
      this.#rule('_zod' in check ? (check as z.core.$ZodCheck)._zod.def : check),
    );
    if (rules.includes(undefined)) return undefined;
    return (value) => ['true', ...rules.map((rule) => rule?.(value))].join(' && ');
  }

  /**
   * Turns zod's description of a rule into a condition. A description without a `check` gives a condition that is
   * always true.
   */
  #rule(description: object): Condition | undefined {
    const rule = description as Partial<z.core.$ZodCheckDef> & Partial<Record<string, unknown>>;
    switch (rule.check) {
      case undefined:
        return () => 'true';
      case 'string_format':
        return this.#pattern(rule.format, rule.pattern);
      case 'number_format':
        return rule.format === 'safeint' ? (value) => `Number.isSafeInteger(${value})` : undefined;
      case 'min_length':
        return (value) => `${value}.length >= ${Number(rule.minimum)}`;
      case 'max_length':
        return (value) => `${value}.length <= ${Number(rule.maximum)}`;
      case 'greater_than':
        return boundCondition(rule.inclusive ? '>=' : '>', rule.value);
      case 'less_than':
        return boundCondition(rule.inclusive ? '<=' : '<', rule.value);
      default:
        return undefined;
    }
  }

  #pattern(format: unknown, pattern: unknown): Condition | undefined {
    if (!patterns.has(format as string) || !(pattern instanceof RegExp) || pattern.global || pattern.sticky)
      return undefined;
    const name = this.#name(pattern);
    return (value) => `${name}.test(${value})`;
  }

  /** Adds a function with this body, and returns the condition that calls it. */
  #function(body: string): Condition {
    const name = `fits${this.functions.length}`;
    this.functions.push(`function ${name}(value) {${body}\n}`);
    return (value) => `${name}(${value})`;
  }

  /** Adds a value to {@link known}, and returns the source text for it: `known[0]` for the first value. */
  #name(value: unknown): string {
    return `known[${this.known.push(value) - 1}]`;
  }
}

function stringCondition(rules: Condition | undefined): Condition {
  return rules ? (value) => `(typeof ${value} === 'string' && ${rules(value)})` : alwaysFalse;
}

function numberCondition(rules: Condition | undefined): Condition {
  return rules ? (value) => `(Number.isFinite(${value}) && ${rules(value)})` : alwaysFalse;
}

function boundCondition(operator: string, limit: unknown): Condition | undefined {
  return typeof limit === 'number' ? (value) => `${value} ${operator} ${limit}` : undefined;
}
