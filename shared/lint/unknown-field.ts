import { type LintRule, requestEntries, requestName } from './rule.ts';

/** Finds fields that the API does not know. They are accepted and have no effect (B29). */
export const unknownField: LintRule = {
  id: 'unknown-field',
  severity: 'warning',
  why: 'the service ignores unknown fields, so they have no effect',
  fix: 'look up the field in the OpenAPI document; usually it is misspelt or in the wrong place',
  check: ({ requests }) =>
    requests.flatMap((request) =>
      request.notes
        .filter(({ kind }) => kind === 'request.unknownField')
        .map((entry) => ({
          of: request,
          cause: `${request.kind} ${entry.data.paths}`,
          what: `${requestName(request)} has unknown fields: ${entry.data.paths.join(', ')}`,
          entries: [...requestEntries(request), entry],
          payment: request.payment,
        })),
    ),
};
