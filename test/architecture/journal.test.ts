import { expect } from 'vitest';
import { makeAllResources } from '../../gateway/openapi.ts';
import { productFiles, readProjectFile } from './code.ts';
import { checkSection } from './page.ts';

/** Checks the section "The journal" of ARCHITECTURE.md. */

checkSection('The journal', {
  'The journal records everything that happens': [everyKindIsAdded],
  'The entries are about requests, messages': [everyKindIsAdded],
  'A `GET` makes an entry only if its endpoint needs': [onlyAccountsReadsAreKept],
  'Log lines, the live stream, the text UI and the tests': [
    () =>
      expect(
        ['shared/log.ts', 'gateway/control/journal.ts', 'terminal-emulator/tui/journal-lines.ts'].filter(
          (path) => !/from '[./]*(shared\/)?journal[\w-]*\.ts'/.test(readProjectFile(path)),
        ),
      ).toEqual([]),
  ],
  'Cardholder data is removed at its source': [
    ['terminal-emulator/terminal/terminal.test.ts', 'no digit of a PIN or card number is in the journal'],
  ],
  'Text from clients may still contain': [
    ['shared/masking/card-numbers.test.ts', 'a mask hides the secret of a payment link in any text'],
  ],
  '`shared/masking/` masks these numbers and secrets when': [
    ['shared/journal.test.ts', 'masking an entry does not change the object that it was given'],
    ['shared/masking/card-numbers.test.ts', 'the data of an entry are masked in a copy'],
  ],
  'Most entries are never read, so the data': [
    ['shared/journal.test.ts', 'the data of an entry is computed once, when it is first read'],
  ],
});

function everyKindIsAdded(): void {
  const kinds = readProjectFile('shared/journal-kinds.ts');
  const added = [
    'http.received',
    'message.received',
    'payment.accepted',
    'terminal.state',
    'terminal.screen',
  ];
  for (const kind of [...added, 'terminal.key', 'terminal.card', 'ledger.authorized', 'fault.injected']) {
    expect(kinds).toContain(`  '${kind}': `);
    const adding = productFiles.filter(
      ({ path, text }) =>
        path !== 'shared/journal-kinds.ts' &&
        new RegExp(
          `(?:\\bjournal(?:\\.\\w+)?\\(\\s*|#journal(?:\\.\\w+)?\\(\\s*|add(?:Drawn)?\\(\\s*|kind: )'${kind}'`,
        ).test(text),
    );
    expect(adding.length, kind).toBeGreaterThan(0);
  }
}

function onlyAccountsReadsAreKept(): void {
  const kept = makeAllResources({} as never)
    .flat()
    .filter(({ method, journaled }) => method === 'get' && journaled !== 'nothing');
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.filter(({ guard }) => guard !== 'token').map(({ path }) => path)).toEqual([]);
}
