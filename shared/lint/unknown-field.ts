import { entriesOf, type LintRule, nameOf } from './rule.ts';

/** Unknown fields are accepted and do nothing (B29). */
export const unknownField: LintRule = {
  id: 'unknown-field',
  severity: 'warning',
  why: 'the service ignores unknown fields, so they have no effect',
  fix: 'look up the field in the OpenAPI document; usually it is misspelt or in the wrong place',
  check: ({ entries, requests }) =>
    entries
      .filter((entry) => entry.kind === 'request.unknownField')
      .flatMap((entry) => {
        const request = requests.find(({ requestId }) => requestId === entry.data.requestId);
        if (!request) return [];
        const what = `${nameOf(request)} has unknown fields: ${entry.data.paths.join(', ')}`;
        return [{ what, entries: [...entriesOf(request), entry], payment: request.payment }];
      }),
};
