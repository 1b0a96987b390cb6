import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lifecycle as creditLifecycle } from '../gateway/credits/core/lifecycle.ts';
import { effectNames } from '../gateway/payments/core/effect-names.fixture.ts';
import { lifecycle } from '../gateway/payments/core/lifecycle.ts';
import { commitNames } from '../gateway/payments/core/step.ts';
import { lifecycle as debitLifecycle } from '../gateway/saved-cards/core/lifecycle.ts';
import { refundLifecycle } from '../gateway/saved-cards/core/refund-lifecycle.ts';

/** What ARCHITECTURE.md says of payments and of what is stored, sentence by sentence, and what shows that it is so. */

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const product = globSync('{gateway,shared,terminal-emulator}/**/*.ts', { cwd: root })
  .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
  .sort()
  .map((path) => ({ path, text: read(path) }));
const inFolder = (folder: string) => product.filter(({ path }) => path.startsWith(`${folder}/`));

/** The test of another file that shows it: its title, or how that begins. */
type ShownBy = (() => void) | readonly [file: string, title: string];

const histories = (title: string) => ['test/histories/histories.test.ts', title] as const;
const credits = (title: string) => ['gateway/credits/core/lifecycle.test.ts', title] as const;
const debits = (title: string) => ['gateway/saved-cards/core/lifecycle.test.ts', title] as const;
const engine = (title: string) => ['gateway/engine/engine.test.ts', title] as const;
const many = (title: string) => ['gateway/cluster/payments/many-gateways.test.ts', title] as const;
const invariant = (says: string) => ['test/histories/invariants.ts', says] as const;
const batches = (title: string) => ['shared/database/commit-contract.fixture.ts', title] as const;
const memory = (title: string) => ['terminal-emulator/terminal/memory.test.ts', title] as const;

const payment: Record<string, readonly ShownBy[]> = {
  '`gateway/engine/` owns that loop for everything that moves': [onlyTheEngineLoops],
  'The inputs of a key take turns': [engine('the inputs of a key are decided one after the other')],
  'Effects come after the commit': [
    engine('effects come after the commit, and one that is an input gets a turn of its own'),
  ],
  'If the commit is refused nothing has happened': [engine('a refused batch changes nothing in memory')],
  'Where a row was not what the decision saw, the input is decided again': [
    engine('an input that is refused again and again is decided three times at most'),
    engine('as often as its kind says'),
  ],
  '`payments/core/lifecycle.ts` is a table': [everyPairIsNamed, histories('every state knows every input')],
  'The core is pure': [corePure, ['test/histories/planted-bugs.ts', 'a decision is another one each time']],
  "The acquirer's host decides in the same step": [
    () => expect(read('gateway/payments/core/hosting.ts')).toMatch(/answerAsk\(booked, request, facts\)/),
  ],
  'So *accepted* is on disk before the first byte': [invariant('is sent and not on disk as delivered')],
  '*Concluded* is on disk before the answer': [invariant('is answered and not on disk')],
  'A message is acknowledged after what it led to is on disk': [
    [
      'gateway/payments/failed-write.test.ts',
      'an outcome whose %s %s fails is not acknowledged; sent again it counts',
    ],
    ['shared/transport/link.test.ts', 'messages arrive in order and are acknowledged once handled'],
  ],
  'A payment that fails is closed at the acquirer': [
    ['test/histories/two-owners/planted-bugs.ts', 'a payment that fails keeps its authorization'],
  ],
  'If something is due and cannot be stored': [
    ['gateway/payments/full-disk.test.ts', 'while the end of one payment cannot be written, others end'],
  ],
  'The next input is decided after what is overdue': [
    [
      'gateway/payments/slow-disk.test.ts',
      'a cap that passed while the disk was busy is met as soon as the payment is stored',
    ],
  ],
  "What became of a payment is kept in no API's form": [
    onlyTheNativeApiRenders,
    [
      'gateway/payments/native-api/stored-outcomes.test.ts',
      'an outcome that an older release stored is answered to the byte',
    ],
  ],
  'Debits, refunds and credits move by such tables too': [
    everyPairIsNamed,
    credits('every state knows every input'),
    debits('knows every input in every state'),
  ],
  'Their state is read from the disk in each turn': [
    () => expect(read('gateway/credits/credit-engine.ts')).toMatch(/install\(\) \{\}/),
    ['gateway/credits/credit-turns.test.ts', 'is decided on what another gateway has stored'],
    ['gateway/saved-cards/debit-turns.test.ts', 'is decided on what another gateway has stored'],
    ['gateway/saved-cards/debit-turns.test.ts', 'what was used last is at hand'],
  ],
  'What a step comes to is committed together with its event': [
    ['gateway/credits/credit-turns.test.ts', 'if its event cannot be stored, nothing of the step is'],
    ['gateway/saved-cards/debit-turns.test.ts', 'if its event cannot be stored, nothing of the step is'],
  ],
  'A refusal is a result': [
    () =>
      expect(
        ['credits', 'saved-cards']
          .flatMap((folder) => inFolder(`gateway/${folder}/core`))
          .filter(({ text }) => /ApiError/.test(text)),
      ).toEqual([]),
  ],
  'A webhook delivery has a scheduler instead of turns': [
    ['gateway/webhooks/lifecycle.test.ts', 'every state knows every input'],
    [
      'test/histories/histories.test.ts',
      'random histories of webhook deliveries by two gateways keep every invariant, and come to every transition',
    ],
  ],
  'Everything is put together from bottom to top': [builtFromTheBottom],
  'Effects, commits and states have names in lists': [namedMoments],
  'The terminal runs its dialogue in `terminal-emulator/payment/`': [oneMachine],
  'It notes ServiceIDs and approvals': [
    memory('a request is on disk before it is acknowledged'),
    [
      'terminal-emulator/terminal/payment-settlement.test.ts',
      'an outcome is in the memory before it is sent',
    ],
  ],
  'It repeats its answer until that is acknowledged': [
    [
      'terminal-emulator/terminal/recovery.test.ts',
      'a power cut between the approval and the result delivers the approval',
    ],
  ],
  '`test/architecture.test.ts` has a check': [],
};

const state: Record<string, readonly ShownBy[]> = {
  'One SQLite file for the gateway': [
    ['terminal-emulator/terminal/memory.test.ts', 'everything is on disk before it is acted upon'],
  ],
  'Changes are values': [
    batches('a batch inserts, updates and deletes, in its order'),
    batches('a batch alone in its turn is refused wholly too'),
    invariant('is answered and not on disk'),
  ],
  'The batches of one turn of the event loop, or a few, share a transaction': [
    [
      'shared/database/sqlite-batches.test.ts',
      'batches of which none fails are one transaction without savepoints',
    ],
  ],
  'Payments, results and the ledger are only added to': [onlyAddedTo],
  'What is still under way is updated': [openPaymentsAreUpdated],
  'What must not be decided side by side takes turns': [
    ['shared/lanes.test.ts', 'turns of one lane come one after the other, those of others meanwhile'],
    ['gateway/refunds/sequences.property.test.ts', 'many at once, the sums and the books hold all the same'],
  ],
};

const several: Record<string, readonly ShownBy[]> = {
  'With `database` in its configuration': [
    () => expect(read('gateway/index.ts')).toMatch(/if \(database === undefined\) return undefined;/),
  ],
  'The other resources meet that through five interfaces': [fiveInterfaces],
  'A `Partition` says which gateway decides': [
    engine('the input of a key that another gateway has is decided there'),
    partitions,
  ],
  'A lone gateway has a constant for each': [onlyTwoChoose],
  'What is kept in memory beside the disk': [
    fewAskTheStore,
    () =>
      expect(read('gateway/saved-cards/debit-turns.ts')).toMatch(
        /store\.isShared \? undefined : recentDebits/,
      ),
  ],
  'Each terminal belongs to one gateway': [many('a terminal that dials another takes its payment along')],
  'Its batches for that terminal hold a row with an epoch': [
    many('a former owner that nobody told changes nothing'),
    ['test/histories/two-owners/planted-bugs.ts', 'batches are not held to the owner'],
  ],
  'In `gateway/cluster/payments/`, `owning.ts` takes terminals': [
    many('one that ends leaves its terminals to the others at once'),
    many('any takes a payment, also where another has the terminal'),
  ],
  '`sweeps.ts` and `elsewhere.ts` look each second': [
    [
      'test/histories/two-owners/planted-bugs.ts',
      'nobody looks for what became of payments that other gateways run',
    ],
    many('one that nobody told ends the link of an idle terminal that another has taken'),
  ],
  'Debits, credits and settings are decided at any gateway': [
    [
      'gateway/refunds/sequences.property.test.ts',
      'that decide about one debit at the same moment do not both go by',
    ],
  ],
  'With SQLite there is none of this': [loneGatewaysLoadNothingOfIt],
};

describe.each([
  ['A payment, end to end', payment],
  ['State', state],
  ['Several gateways', several],
])('ARCHITECTURE.md, "%s"', (section, shown) => {
  const sentences = sentencesOf(section).filter(
    (sentence) => !sentence.startsWith('SQL goes through Kysely'),
  );
  const of = (sentence: string) => Object.keys(shown).find((beginning) => sentence.startsWith(beginning));

  test('has a check for every sentence, and no check is for a sentence that is gone', () => {
    expect(sentences.filter((sentence) => of(sentence) === undefined)).toEqual([]);
    const said = new Set(sentences.map(of));
    expect(Object.keys(shown).filter((beginning) => !said.has(beginning))).toEqual([]);
  });

  test.each(Object.entries(shown))('%s', (_, by) => {
    for (const shows of by) {
      if (typeof shows === 'function') shows();
      else expect(read(shows[0]), `${shows[0]} shows it by "${shows[1]}"`).toContain(shows[1]);
    }
  });
});

/** The sentences of a section up to "SQL goes through Kysely", which house.test.ts and the contract over both databases show. */
function sentencesOf(section: string): string[] {
  const [, text = ''] = read('ARCHITECTURE.md').split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return own
    .replace(/```[\s\S]*?```/g, '')
    .split('\n\n')
    .flatMap((paragraph) =>
      paragraph.startsWith('SQL goes through Kysely')
        ? [paragraph]
        : paragraph.replaceAll('\n', ' ').split(/(?<=\.)\s+(?=[A-Z*`])/),
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** The modules that a file imports for more than their types. */
function runsOn({ path, text }: { path: string; text: string }): string[] {
  const found = text.matchAll(/^import (?!type )(?:(\{[^}]*\})|[^'{]*)(?: from)? ?'([^']+)'/gm);
  return Array.from(found)
    .filter(([, names]) => !names || /[{,]\s*(?!type\b)\w/.test(names.replace(/,\s*\}/, '}')))
    .map(([, , target = '']) => (target.startsWith('.') ? normalize(join(dirname(path), target)) : target));
}

function onlyTheEngineLoops(): void {
  const loops = ['cluster', 'credits', 'payments', 'refunds', 'saved-cards']
    .flatMap((folder) => inFolder(`gateway/${folder}`))
    .filter(({ text }) => /\.commit\(/.test(text))
    .map(({ path }) => path);
  // The first two store what another gateway decides about: the acceptance or the wish for an abort of a payment it has. The
  // others hand the engine what commits a step of a credit or debit with its event.
  expect(loops).toEqual([
    'gateway/cluster/payments/accept-elsewhere.ts',
    'gateway/cluster/payments/elsewhere.ts',
    'gateway/credits/credit-turns.ts',
    'gateway/saved-cards/debit-turns.ts',
  ]);
}

function partitions(): void {
  const made = product.filter(({ text }) => /implements \w*Partition\b|: Partition<.*> = \{/.test(text));
  expect(made.map(({ path }) => path)).toEqual([
    'gateway/cluster/payments/owning.ts',
    'gateway/engine/partition.ts',
  ]);
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

/** Other files of the core, and what only computes. */
const computes =
  /^(gateway\/(payments|credits|saved-cards)\/core\/|gateway\/saved-cards\/issuer\.ts$|gateway\/store\/ownership\.ts$|gateway\/acquirer\/(answers|amount-endings|attempts|debit-ledger|entries|host|known-payment|outcome-rules|outcomes)\.ts$|shared\/(ascii-json|clock|json-list|money|recent|refusal-words|nexo\/[\w-]+|transport\/link|random|runtime|in-flight|identifiers)\.ts$|zod$|node:crypto$)/;

function corePure(): void {
  for (const file of ['payments', 'credits', 'saved-cards'].flatMap((of) => inFolder(`gateway/${of}/core`))) {
    expect(
      runsOn(file).filter((module) => !computes.test(module)),
      file.path,
    ).toEqual([]);
    expect(file.text, file.path).not.toMatch(
      /\b(async|await|Promise|setTimeout)\b|\.(now|monotonic)\(|^let /m,
    );
    if (runsOn(file).includes('shared/clock.ts'))
      expect(file.text, `${file.path} writes moments, and reads none`).toMatch(/\{ isoTime \} from '.*clock/);
    expect(file.text, `${file.path} is of no API`).not.toMatch(/native-api/);
  }
}

function onlyTheNativeApiRenders(): void {
  const users = product
    .filter(({ path, text }) => /native-api\//.test(text) && !path.startsWith('gateway/payments/native-api/'))
    .map(({ path }) => path);
  // The list of what is served, and the operator's explanation with its example: it shows the answer that a POS got.
  expect(users).toEqual([
    'gateway/control/payments.ts',
    'gateway/payments/explain.ts',
    'gateway/resources.ts',
  ]);
  // The column in which 0.1.0 kept the native API's text is left empty.
  expect(read('gateway/payments/core/concluding.ts')).toMatch(/answer: '',\n\s+outcome: outcomeJson\(/);
}

function builtFromTheBottom(): void {
  for (const path of ['gateway/payments/create-payments.ts', 'gateway/cluster/payments/share-terminals.ts']) {
    const [, text = ''] = read(path).split(/^export (?:async )?function \w+/m);
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
  const named = read('test/trials/step-kills.ts');
  expect(named).toMatch(/effectNames\.map|of effectNames|\.\.\.effectNames/);
  expect(named).toMatch(/commitNames\.map|of commitNames|\.\.\.commitNames/);
  expect(Object.keys(lifecycle)).toEqual(['none', 'waiting', 'delivered', 'lost', 'abandoned']);
  expect(new Set([...effectNames, ...commitNames]).size).toBe(effectNames.length + commitNames.length);
}

function oneMachine(): void {
  const machines = inFolder('terminal-emulator').filter(({ path }) => path.endsWith('.machine.ts'));
  expect(machines.map(({ path }) => path)).toEqual([
    'terminal-emulator/payment/payment.machine.ts',
    'terminal-emulator/terminal/terminal.machine.ts', // power
  ]);
}

/** Who inserts into, updates or deletes from a table, by the verb. */
function writers(table: string): Record<string, string[]> {
  const verbs = {
    insert: new RegExp(`insert: '${table}'|insertInto\\('${table}'|into "?${table}\\b`, 'i'),
    update: new RegExp(`update: '${table}'|updateTable\\('${table}'|\`\\s*update "?${table}\\b`, 'i'),
    delete: new RegExp(`delete: '${table}'|deleteFrom\\('${table}'|delete from "?${table}\\b`, 'i'),
  };
  return Object.fromEntries(
    Object.entries(verbs).map(([verb, pattern]) => [
      verb,
      product
        .filter(({ path, text }) => !path.includes('/migrations/') && pattern.test(text))
        .map(({ path }) => path),
    ]),
  );
}

function onlyAddedTo(): void {
  const core = 'gateway/payments/core';
  expect(writers('payments')).toEqual({ insert: [`${core}/accepting.ts`], update: [], delete: [] });
  const ending = [`${core}/accepting.ts`, `${core}/concluding.ts`];
  expect(writers('payment_results')).toEqual({ insert: ending, update: [], delete: [] });
  expect(writers('ledger')).toEqual({ insert: ['gateway/acquirer/entries.ts'], update: [], delete: [] });
}

function openPaymentsAreUpdated(): void {
  expect(writers('open_payments')).toEqual({
    insert: ['gateway/payments/core/accepting.ts'],
    update: [
      'gateway/cluster/payments/elsewhere.ts', // another gateway's wish for an abort
      'gateway/cluster/payments/owning.ts', // that the wish has reached the terminal
      'gateway/payments/core/accepting.ts',
      'gateway/payments/core/delivering.ts',
    ],
    delete: ['gateway/payments/core/concluding.ts'],
  });
}

function fiveInterfaces(): void {
  const [, picture = ''] = read('ARCHITECTURE.md').split('## Several gateways');
  const list = read('gateway/one-or-many.ts');
  const rows = [...picture.matchAll(/^ (who[\w ]+\?) +([\w/-]+) +(\w+) /gm)];
  expect(rows).toHaveLength(5);
  for (const [, , file = '', constant = ''] of rows) {
    expect(read(`gateway/${file}.ts`), file).toMatch(
      constant === 'none' ? /interface OtherMakers/ : constant,
    );
    if (file !== 'engine/partition') expect(list, file).toContain(`./${file}.ts`);
  }
}

function onlyTwoChoose(): void {
  const choosing = product.filter(({ text }) => /\bloneGateway\b|\boneOfMany\b|\bopenCluster\b/.test(text));
  expect(choosing.map(({ path }) => path)).toEqual([
    'gateway/cluster/cluster.ts',
    'gateway/cluster/one-of-many.ts',
    'gateway/index.ts',
    'gateway/one-or-many.ts',
    'gateway/services.ts',
  ]);
}

function fewAskTheStore(): void {
  const asking = inFolder('gateway').filter(({ text }) => text.includes('.isShared'));
  expect(asking.map(({ path }) => path).filter((path) => !path.startsWith('gateway/cluster/'))).toEqual([
    'gateway/control/crash-refusal.ts',
    'gateway/payments/moving/keys.ts',
    'gateway/saved-cards/debit-turns.ts',
    'gateway/services.ts',
    'gateway/webhooks/attempts.ts',
    'gateway/webhooks/hand-over.ts',
  ]);
}

/** What is loaded with a file before it is asked for. */
function loadedWith(path: string, loaded = new Set<string>()): Set<string> {
  const file = product.find((one) => one.path === path);
  if (!file || loaded.has(path)) return loaded;
  loaded.add(path);
  const passedOn = file.text.matchAll(/^export (?!type )\{[^}]*\} from '(\.[^']+)'/gm);
  const more = Array.from(passedOn, ([, target = '']) => normalize(join(dirname(path), target)));
  for (const target of [...runsOn(file), ...more]) loadedWith(target, loaded);
  return loaded;
}

function loneGatewaysLoadNothingOfIt(): void {
  const loaded = [...loadedWith('gateway/index.ts')];
  expect(loaded).toContain('gateway/payments/moving/interpreter.ts');
  // What a configuration says of NATS is looked at before it is known whether there is a database.
  expect(loaded.filter((path) => path.startsWith('gateway/cluster/'))).toEqual([
    'gateway/cluster/hints/nats-address.ts',
  ]);
}
