import { entriesOf, type LintRule, nameOf } from './rule.ts';

/** Unknown fields are accepted and do nothing (B29). */
export const unknownField: LintRule = {
  id: 'unknown-field',
  severity: 'warning',
  why: 'a field that is not known does nothing: what was meant by it does not happen',
  fix: 'look the field up in the OpenAPI document; mostly it is a spelling or the wrong place',
  check: ({ entries, requests }) =>
    entries
      .filter((entry) => entry.kind === 'request.unknownField')
      .flatMap((entry) => {
        const request = requests.find(({ requestId }) => requestId === entry.data.requestId);
        if (!request) return [];
        const what = `${nameOf(request)} has fields nobody knows: ${entry.data.paths.join(', ')}`;
        return [{ what, entries: [...entriesOf(request), entry], payment: request.payment }];
      }),
};
