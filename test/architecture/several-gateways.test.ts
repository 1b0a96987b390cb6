import { expect } from 'vitest';
import { fileAt, inFolder, loadedWith, productFiles, readProjectFile } from './code.ts';
import { checkSection, engineTest } from './page.ts';

/** Checks the section "Several gateways" of ARCHITECTURE.md. */

const many = (title: string) => ['gateway/cluster/payments/many-gateways.test.ts', title] as const;

checkSection('Several gateways', {
  'With `database` in its configuration': [
    () =>
      expect(readProjectFile('gateway/index.ts')).toMatch(/if \(database === undefined\) return undefined;/),
  ],
  'The resources of the gateway use five interfaces': [fiveInterfaces],
  'A `KeyPartition` says which gateway decides': [
    engineTest('an input for a key of another gateway is decided there'),
    partitions,
  ],
  'Any gateway decides about debits and credits': [
    () =>
      expect(
        inFolder('gateway').filter(({ text }) => /anyGatewayPartition/.test(text)).length,
      ).toBeGreaterThan(2),
  ],
  'A single gateway uses a constant for each of the five': [fiveInterfaces],
  'Only `services.ts` and `index.ts` choose': [onlyTwoChoose],
  'Some code asks the store whether the store `isShared`': [
    fewAskTheStore,
    () =>
      expect(readProjectFile('gateway/saved-cards/debit-input-queue.ts')).toMatch(
        /store\.isShared \? undefined : makeRecentDebits/,
      ),
  ],
  'Each terminal belongs to one gateway': [
    many('move a payment along if its terminal dials another gateway'),
  ],
  'Every batch of changes to a terminal names the epoch': [
    ['test/histories/two-owners/planted-bugs.ts', 'batches are not held to the owner'],
  ],
  'The epoch is a number that grows': [
    ['test/histories/two-owners/planted-bugs.ts', 'batches are not held to the owner'],
  ],
  'The database refuses a batch of the former owner': [
    many('let a former owner that was not notified change nothing'),
  ],
  'In `gateway/cluster/payments/`, `terminal-partition.ts` makes the gateway the owner': [
    many('get the terminals of a gateway at once if it shuts down'),
  ],
  '`remote-terminal-acceptance.ts` accepts payments': [
    many('each accept a payment, even for a terminal of another gateway'),
  ],
  '`missed-work-sweeps.ts` and `remote-payment-follower.ts` look into the database each second': [
    [
      'test/histories/two-owners/planted-bugs.ts',
      'nobody looks for what became of payments that other gateways run',
    ],
    many('end the link of an idle terminal that another gateway took, even if its owner was not notified'),
  ],
  'Any gateway decides about debits, credits and settings': [
    [
      'test/many-gateways/every-operation.test.ts',
      'succeeds behind a balancer that sends each request to the next of three gateways',
    ],
  ],
  'A batch of changes to a debit or credit names': [
    [
      'gateway/refunds/sequences.property.test.ts',
      'that decide about one debit at the same moment do not both use',
    ],
    ['gateway/credits/credit-input-queue.test.ts', 'is made again on what that stored'],
    () =>
      expect(fileAt('gateway/events/service.ts').text).toMatch(
        /\{ update: table, where: \{ id, version \}, set: \{ version: seq \} \}/,
      ),
  ],
  'For a change to an account, token or terminal, the gateway reads and writes in one transaction': [
    settingsAreWritten,
  ],
  'A gateway on SQLite loads none of `gateway/cluster/`': [loneGatewaysLoadNothingOfIt],
});

function fiveInterfaces(): void {
  const [, picture = ''] = readProjectFile('ARCHITECTURE.md').split('## Several gateways');
  const list = readProjectFile('gateway/one-or-many.ts');
  const rows = [...picture.matchAll(/^ (who[\w ]+\?) +([\w/-]+) +(\w+) /gm)];
  expect(rows).toHaveLength(5);
  for (const [, , file = '', constant = ''] of rows) {
    expect(readProjectFile(`gateway/${file}.ts`), file).toMatch(
      constant === 'none' ? /interface OtherEventSources/ : constant,
    );
    if (file !== 'engine/partition') expect(list, file).toContain(`./${file}.ts`);
  }
}

function partitions(): void {
  const made = productFiles.filter(({ text }) =>
    /implements \w*Partition\b|: KeyPartition<.*> = \{/.test(text),
  );
  expect(made.map(({ path }) => path)).toEqual([
    'gateway/cluster/payments/terminal-partition.ts',
    'gateway/engine/partition.ts',
  ]);
}

function onlyTwoChoose(): void {
  const choosing = productFiles.filter(({ text }) =>
    /\bloneGatewayParts\b|\bmakeClusterParts\b|\bopenCluster\b/.test(text),
  );
  expect(choosing.map(({ path }) => path)).toEqual([
    'gateway/cluster/cluster-parts.ts',
    'gateway/cluster/cluster.ts',
    'gateway/index.ts',
    'gateway/one-or-many.ts',
    'gateway/services.ts',
  ]);
}

function fewAskTheStore(): void {
  const asking = inFolder('gateway').filter(({ text }) => text.includes('.isShared'));
  expect(asking.map(({ path }) => path).filter((path) => !path.startsWith('gateway/cluster/'))).toEqual([
    'gateway/control/crash-refusal.ts',
    'gateway/payments/moving/idempotency-keys.ts',
    'gateway/saved-cards/debit-input-queue.ts',
    'gateway/services.ts',
    'gateway/webhooks/delivery-attempts.ts',
    'gateway/webhooks/delivery-maker.ts',
  ]);
}

function settingsAreWritten(): void {
  for (const path of [
    'gateway/accounts/service.ts',
    'gateway/accounts/tokens.ts',
    'gateway/terminals/service.ts',
  ]) {
    expect(fileAt(path).text, path).toMatch(/tore\.write\(/);
    expect(fileAt(path).text, path).not.toMatch(/\.commit\(/);
  }
}

function loneGatewaysLoadNothingOfIt(): void {
  const loaded = [...loadedWith('gateway/index.ts')];
  expect(loaded).toContain('gateway/payments/moving/payment-effects.ts');
  // The address of NATS in a configuration is checked before the gateway starts, when it is not known yet whether there
  // is a database. So the file with this check is always loaded.
  expect(loaded.filter((path) => path.startsWith('gateway/cluster/'))).toEqual([
    'gateway/cluster/hints/nats-address.ts',
  ]);
}
