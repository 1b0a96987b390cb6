import { findFieldOccurrences, type LintRule } from './rule.ts';

/** Finds fields that the API does not know. The gateway accepts unknown fields, but they have no effect (B29). */
export const unknownFieldRule: LintRule = {
  id: 'unknown-field',
  severity: 'warning',
  why: 'the service ignores unknown fields, so they have no effect',
  fix: 'look up the field in the OpenAPI document; usually it is misspelt or in the wrong place',
  check: (watched) => findFieldOccurrences(watched, 'request.unknownField', 'has unknown fields'),
};
