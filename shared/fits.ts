import type { z } from 'zod';

type Check = (value: unknown) => boolean;
type Schema = z.core.$ZodType;

const never: Check = () => false;
/** Formats of text that are their pattern and nothing else. */
const patterns = new Set(['regex', 'uuid']);

/**
 * A check made of a schema: true where parsing the value would give the very same. It copies nothing, which costs a
 * fraction of parsing. False says nothing: the schema then decides, and says what is wrong.
 *
 * @example
 * const fitsAmount = fits(amount);
 * const parsed = fitsAmount(value) ? value : amount.parse(value);
 */
export function fits<Value extends z.ZodType>(schema: Value): (value: unknown) => value is z.output<Value> {
  return checkOf(schema) as (value: unknown) => value is z.output<Value>;
}

function checkOf(schema: Schema): Check {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return def.catchall || def.checks?.length ? never : objectOf(def.shape);
    case 'array':
      return arrayOf(checkOf(def.element), rulesOf(def.checks));
    case 'union':
      return 'discriminator' in def ? unionOf(def as z.core.$ZodDiscriminatedUnionDef) : never;
    case 'optional':
      return checkOf(def.innerType);
    case 'string':
      return textOf(def.coerce ? undefined : rulesOf([def, ...(def.checks ?? [])]));
    case 'number':
      return numberOf(def.coerce ? undefined : rulesOf([def, ...(def.checks ?? [])]));
    case 'boolean':
      return def.coerce || def.checks?.length ? never : (value) => typeof value === 'boolean';
    case 'literal':
    case 'enum': {
      const { values } = schema._zod;
      return values === undefined ? never : (value) => values.has(value as never);
    }
    default:
      return never;
  }
}

interface Member {
  check: Check;
  required: 0 | 1;
}

/** All that is required, nothing that is unknown: of that, parsing would give a copy without it. */
function objectOf(shape: Readonly<Record<string, Schema>>): Check {
  const members = new Map<string, Member>();
  let allRequired = 0;
  for (const [name, schema] of Object.entries(shape)) {
    const required = (schema as z.core.$ZodTypes)._zod.def.type === 'optional' ? 0 : 1;
    allRequired += required;
    members.set(name, { check: checkOf(schema), required });
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    let required = 0;
    for (const name in value) {
      const member = members.get(name);
      if (!member?.check((value as Record<string, unknown>)[name])) return false;
      required += member.required;
    }
    return required === allRequired;
  };
}

function arrayOf(element: Check, rules: Check[] | undefined): Check {
  if (!rules) return never;
  return (value) => Array.isArray(value) && passes(rules, value) && value.every(element);
}

/** By the values of the discriminator, which each option knows. */
function unionOf({ discriminator, options }: z.core.$ZodDiscriminatedUnionDef): Check {
  const checks = new Map<unknown, Check>();
  for (const option of options)
    for (const value of option._zod.propValues?.[discriminator] ?? []) checks.set(value, checkOf(option));
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    (checks.get((value as Record<string, unknown>)[discriminator]) ?? never)(value);
}

function textOf(rules: Check[] | undefined): Check {
  if (!rules) return never;
  return (value) => typeof value === 'string' && passes(rules, value);
}

function numberOf(rules: Check[] | undefined): Check {
  if (!rules) return never;
  return (value) => Number.isFinite(value) && passes(rules, value);
}

function passes(rules: readonly Check[], value: unknown): boolean {
  for (const rule of rules) if (!rule(value)) return false;
  return true;
}

/** What is asked of a value beside its type; undefined where one of it is not known here. */
function rulesOf(checks: readonly object[] = []): Check[] | undefined {
  const rules = checks.map((check) => ruleOf('_zod' in check ? (check as z.core.$ZodCheck)._zod.def : check));
  return rules.every((rule) => rule !== undefined) ? rules.filter((rule) => rule !== anything) : undefined;
}

const anything: Check = () => true;

/** A rule by zod's description of it; a type without a format of its own asks nothing. */
function ruleOf(description: object): Check | undefined {
  const rule = description as Partial<z.core.$ZodCheckDef> & Partial<Record<string, unknown>>;
  switch (rule.check) {
    case undefined:
      return anything;
    case 'string_format':
      return patternOf(rule.format, rule.pattern);
    case 'number_format':
      return rule.format === 'safeint' ? Number.isSafeInteger : undefined;
    case 'min_length':
      return lengthOf((length) => length >= Number(rule.minimum));
    case 'max_length':
      return lengthOf((length) => length <= Number(rule.maximum));
    case 'greater_than':
      return boundOf(rule.value, (value, bound) => (rule.inclusive ? value >= bound : value > bound));
    case 'less_than':
      return boundOf(rule.value, (value, bound) => (rule.inclusive ? value <= bound : value < bound));
    default:
      return undefined;
  }
}

function patternOf(format: unknown, pattern: unknown): Check | undefined {
  if (!patterns.has(format as string) || !(pattern instanceof RegExp) || pattern.global || pattern.sticky)
    return undefined;
  return (value) => pattern.test(value as string);
}

function lengthOf(holds: (length: number) => boolean): Check {
  return (value) => holds((value as string | unknown[]).length);
}

function boundOf(bound: unknown, holds: (value: number, bound: number) => boolean): Check | undefined {
  return typeof bound === 'number' ? (value) => holds(value as number, bound) : undefined;
}
