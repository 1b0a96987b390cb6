import { dirname } from 'node:path';
import { expect } from 'vitest';
import { lifecycle as creditLifecycle } from '../../gateway/credits/core/lifecycle.ts';
import { effectNames } from '../../gateway/payments/core/effect-names.fixture.ts';
import { lifecycle } from '../../gateway/payments/core/lifecycle.ts';
import { commitNames } from '../../gateway/payments/core/step.ts';
import { lifecycle as debitLifecycle } from '../../gateway/saved-cards/core/lifecycle.ts';
import { refundLifecycle } from '../../gateway/saved-cards/core/refund-lifecycle.ts';
import {
  callersOf,
  fileAt,
  findRuntimeImports,
  inFolder,
  productFiles,
  readProjectFile,
  writers,
} from './code.ts';
import { checkSection, engineTest, historyInvariant, memoryTest } from './page.ts';

/** Checks the section "A payment, end to end" of ARCHITECTURE.md: the engine, the tables of states, the terminal. */

const histories = (title: string) => ['test/histories/histories.test.ts', title] as const;
const credits = (title: string) => ['gateway/credits/core/lifecycle.test.ts', title] as const;
const debits = (title: string) => ['gateway/saved-cards/core/lifecycle.test.ts', title] as const;

checkSection('A payment, end to end', {
  '`gateway/engine/` has the loop in the picture': [onlyTheEngineLoops],
  'Each input has a key, for example a terminal, and': [
    engineTest('the inputs of a key are decided one after the other'),
  ],
  'The engine decides about each input from': [
    engineTest('the inputs of a key are decided one after the other'),
  ],
  'Effects are carried out after the commit': [
    engineTest('effects follow the commit, and an effect that is an input gets a turn of its own'),
  ],
  'If an effect is itself an input': [
    engineTest('effects follow the commit, and an effect that is an input gets a turn of its own'),
  ],
  'An `EngineAdapter` tells the engine where': [movingsDecideByTables],
  'If the commit is refused, nothing has changed': [engineTest('a refused batch changes nothing in memory')],
  'If a row has changed since the decision read it': [
    engineTest('an input that is refused again and again is decided at most three times'),
  ],
  'For a debit or credit, the engine decides again': [
    engineTest('an input that is refused again and again is decided as often as its kind allows'),
  ],
  '`payments/core/lifecycle.ts` is a table': [
    everyPairIsNamed,
    histories('every state of a payment handles every input'),
  ],
  'For each input and state, the table says': [everyPairIsNamed],
  'The random numbers of the acquirer': [corePure],
  'The core is pure': [corePure, ['test/histories/planted-bugs.ts', 'a decision is another one each time']],
  "The decision of the acquirer's host is part": [
    () =>
      expect(readProjectFile('gateway/payments/core/hosting.ts')).toMatch(
        /answerApprovalRequest\(booked, request, facts\)/,
      ),
  ],
  'A payment is stored on disk as *accepted* before': [
    historyInvariant('is sent and not on disk as delivered'),
  ],
  'A payment is stored on disk as *concluded* before': [historyInvariant('is answered and not on disk')],
  'A message is acknowledged only after': [
    [
      'gateway/payments/failed-write.test.ts',
      'an outcome whose %s %s fails is not acknowledged, and counts when it is sent again',
    ],
    ['shared/transport/link.test.ts', 'messages arrive in order and are acknowledged once handled'],
  ],
  'A payment that fails is closed at the acquirer': [
    ['test/histories/two-owners/planted-bugs.ts', 'a payment that fails keeps its authorization'],
  ],
  'If a change is due and cannot be stored': [
    [
      'gateway/payments/full-disk.test.ts',
      'while the end of one payment cannot be stored, other payments can end',
    ],
  ],
  "If a payment's deadline is over when an input comes": [
    [
      'gateway/payments/slow-disk.test.ts',
      'a time limit that passed while the disk was busy applies as soon as the payment is stored',
    ],
  ],
  'The stored outcome of a payment does not have the form of any API': [
    onlyTheNativeApiRenders,
    [
      'gateway/payments/native-api/stored-outcomes.test.ts',
      'an outcome that an older release stored is answered with exactly the same bytes',
    ],
  ],
  'Only `payments/native-api/` writes the outcome': [onlyTheNativeApiRenders],
  'Debits, refunds and credits have tables like the one': [
    everyPairIsNamed,
    credits('every state of a credit handles every input'),
    debits('handles every input in every state'),
  ],
  'The tables for debits, refunds and credits are': [everyPairIsNamed],
  'The inputs of a refund take turns with': [refundsAndVisitsHaveNoTurns],
  "The inputs of a customer's visit to a payment link take turns": [refundsAndVisitsHaveNoTurns],
  'A lone gateway keeps the debits': [
    () =>
      expect(readProjectFile('gateway/saved-cards/debit-input-queue.ts')).toMatch(
        /store\.isShared \? undefined : makeRecentDebits/,
      ),
    ['gateway/saved-cards/debit-input-queue.test.ts', 'debits used last are kept in memory'],
  ],
  'The state of a debit or credit is read': [
    () => expect(readProjectFile('gateway/credits/credit-engine.ts')).toMatch(/install\(\) \{\}/),
    ['gateway/credits/credit-input-queue.test.ts', 'is made again on what that stored'],
    ['gateway/saved-cards/debit-input-queue.test.ts', 'is made again on what that stored'],
    ['gateway/saved-cards/debit-input-queue.test.ts', 'debits used last are kept in memory'],
  ],
  'A step is committed together with its event': [
    [
      'gateway/credits/credit-input-queue.test.ts',
      'if an event cannot be stored, nothing of its step is stored',
    ],
    [
      'gateway/saved-cards/debit-input-queue.test.ts',
      'if an event cannot be stored, nothing of its step is stored',
    ],
  ],
  'The core returns a refusal as a result': [
    () =>
      expect(
        ['credits', 'saved-cards']
          .flatMap((folder) => inFolder(`gateway/${folder}/core`))
          .filter(({ text }) => /ApiError/.test(text)),
      ).toEqual([]),
  ],
  'Webhook deliveries have a scheduler instead of turns': [
    ['gateway/webhooks/lifecycle.test.ts', 'every state of a delivery handles every input'],
    [
      'test/histories/histories.test.ts',
      'random histories of webhook deliveries by two gateways keep every invariant, and reach every transition',
    ],
  ],
  '`webhooks/lifecycle.ts` is the table': [
    ['gateway/webhooks/lifecycle.test.ts', 'every state of a delivery handles every input'],
  ],
  '`payments/create-payments.ts` puts the parts of payments together': [builtFromTheBottom],
  'The code has lists of the names of effects': [namedMoments],
  'The crash test kills the gateway at each': [namedMoments],
  'The terminal runs its dialogue in `terminal-emulator/payment/`': [oneMachine],
  'The terminal stores a ServiceID in its memory': [
    memoryTest('a request is on disk before it is acknowledged'),
    ['terminal-emulator/terminal/payment-settlement.test.ts', 'an outcome is stored before it is sent'],
  ],
  'The terminal sends the outcome again until': [
    [
      'terminal-emulator/terminal/recovery.test.ts',
      'a power cut between the approval and the result delivers the approval',
    ],
    [
      'terminal-emulator/terminal/reversals-recovery.test.ts',
      'the answer is sent until it is acknowledged, even by the next process',
    ],
  ],
});

function onlyTheEngineLoops(): void {
  const loops = ['cluster', 'credits', 'payments', 'refunds', 'saved-cards']
    .flatMap((folder) => inFolder(`gateway/${folder}`))
    .filter(({ text }) => /\.commit\(/.test(text))
    .map(({ path }) => path);
  // The first two files in this list store something for another gateway to handle: an accepted payment, or a request
  // to abort a payment. The other two files give the engine a function that commits a step of a credit or debit
  // together with the event about this step.
  expect(loops).toEqual([
    'gateway/cluster/payments/remote-payment-follower.ts',
    'gateway/cluster/payments/remote-terminal-acceptance.ts',
    'gateway/credits/credit-input-queue.ts',
    'gateway/saved-cards/debit-input-queue.ts',
  ]);
}

function movingsDecideByTables(): void {
  const [, own = ''] =
    /interface EngineAdapter<[^{]*\{([\s\S]*?)^\}/m.exec(readProjectFile('gateway/engine/engine.ts')) ?? [];
  for (const member of ['state(', 'lookUp(', 'decide(']) expect(own).toContain(`  ${member}`);
  const moving = productFiles.filter(
    ({ path, text }) => text.includes('EngineAdapter<') && path !== 'gateway/engine/engine.ts',
  );
  expect(moving).toHaveLength(3);
  for (const file of moving)
    expect(file.text, file.path).toMatch(/^import \{ decide\b.* \} from '[./]+core\/lifecycle\.ts';/m);
}

function everyPairIsNamed(): void {
  for (const table of [lifecycle, creditLifecycle, debitLifecycle, refundLifecycle]) {
    const inputs = Object.keys(table.none).sort();
    for (const does of Object.values(table)) {
      expect(Object.keys(does).sort()).toEqual(inputs);
      for (const each of Object.values<object | { impossible: string }>(does))
        expect(typeof each === 'function' || 'impossible' in each).toBe(true);
    }
  }
}

/** Matches the files of all cores, and files that only compute. A core may import only files that match. */
const computes =
  /^(gateway\/(payments|credits|saved-cards)\/core\/|gateway\/engine\/lifecycle-table\.ts$|gateway\/saved-cards\/issuer\.ts$|gateway\/store\/ownership\.ts$|gateway\/acquirer\/(answers|amount-endings|attempts|debit-ledger|entries|host|host-payment|outcome-rules|outcomes)\.ts$|shared\/(ascii-json|clock|json-list|money|memoize-recent|refusal-words|nexo\/[\w-]+|transport\/link|random|runtime|in-flight|identifiers)\.ts$|zod$|node:crypto$)/;

function corePure(): void {
  for (const file of ['payments', 'credits', 'saved-cards'].flatMap((of) => inFolder(`gateway/${of}/core`))) {
    expect(
      findRuntimeImports(file).filter((module) => !computes.test(module)),
      file.path,
    ).toEqual([]);
    expect(file.text, file.path).not.toMatch(
      /\b(async|await|Promise|setTimeout)\b|\.(now|monotonic)\(|^let /m,
    );
    if (findRuntimeImports(file).includes('shared/clock.ts'))
      expect(file.text, `${file.path} writes moments, and reads none`).toMatch(/\{ isoTime \} from '.*clock/);
    expect(file.text, `${file.path} is of no API`).not.toMatch(/native-api/);
  }
}

function onlyTheNativeApiRenders(): void {
  const users = productFiles
    .filter(({ path, text }) => /native-api\//.test(text) && !path.startsWith('gateway/payments/native-api/'))
    .map(({ path }) => path);
  // Only the files in this list use the native API. resources.ts lists the resources that the gateway serves.
  // explain.ts explains a payment to operators, and payments.ts contains an example of such an explanation. Both show
  // the answer that the POS got.
  expect(users).toEqual([
    'gateway/control/payments.ts',
    'gateway/payments/explain.ts',
    'gateway/resources.ts',
  ]);
  // Release 0.1.0 kept the text of the native API's answer in a column, which is left empty now.
  expect(readProjectFile('gateway/payments/core/concluding.ts')).toMatch(
    /answer: '',\n\s+outcome: outcomeJson\(/,
  );
}

function refundsAndVisitsHaveNoTurns(): void {
  expect(callersOf('new Engine')).toEqual([
    'gateway/credits/credit-engine.ts',
    'gateway/payments/moving/payment-engine.ts',
    'gateway/saved-cards/debit-engine.ts',
  ]);
  const moved = (table: string) =>
    new Set(
      Object.values(writers(table))
        .flat()
        .map((path) => dirname(path)),
    );
  expect([...moved('refunds')]).toEqual(['gateway/saved-cards/core']);
  expect([...moved('credit_visits')]).toEqual(['gateway/credits/core']);
  expect(fileAt('gateway/credits/visits.ts').text).toMatch(/turns: CreditInputQueue;/);
  expect(fileAt('gateway/refunds/service.ts').text).toMatch(/turns: DebitInputQueue;/);
}

function builtFromTheBottom(): void {
  for (const path of [
    'gateway/payments/create-payments.ts',
    'gateway/cluster/payments/run-cluster-payments.ts',
  ]) {
    const [, text = ''] = readProjectFile(path).split(/^export (?:async )?function \w+/m);
    expect(text, path).not.toMatch(/^\s*let |^\s*[\w.]+ = /m);
    for (const [, name = ''] of text.matchAll(/const (\w+) =/g))
      expect(text.search(new RegExp(`\\b${name}\\b(?!:)`)), `${path} uses ${name} before it is there`).toBe(
        text.indexOf(`const ${name} =`) + 'const '.length,
      );
  }
  const setters = inFolder('gateway/payments').filter(({ text }) =>
    /^ {2}(set \w+\(|on[A-Z]\w+\?? = )/m.test(text),
  );
  expect(setters.map(({ path }) => path)).toEqual([]);
}

function namedMoments(): void {
  const named = readProjectFile('test/trials/step-kills.ts');
  expect(named).toMatch(/effectNames\.map|of effectNames|\.\.\.effectNames/);
  expect(named).toMatch(/commitNames\.map|of commitNames|\.\.\.commitNames/);
  expect(Object.keys(lifecycle)).toEqual(['none', 'waiting', 'delivered', 'lost', 'abandoned']);
  expect(new Set([...effectNames, ...commitNames]).size).toBe(effectNames.length + commitNames.length);
}

function oneMachine(): void {
  const machines = inFolder('terminal-emulator').filter(({ path }) => path.endsWith('.machine.ts'));
  expect(machines.map(({ path }) => path)).toEqual([
    'terminal-emulator/payment/payment.machine.ts',
    'terminal-emulator/terminal/terminal.machine.ts', // the terminal's power
  ]);
}
