import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lifecycle as creditLifecycle } from '../gateway/credits/core/lifecycle.ts';
import { allResources, openapiDocument } from '../gateway/openapi.ts';
import { effectNames } from '../gateway/payments/core/effect-names.fixture.ts';
import { lifecycle } from '../gateway/payments/core/lifecycle.ts';
import { commitNames } from '../gateway/payments/core/step.ts';
import { lifecycle as debitLifecycle } from '../gateway/saved-cards/core/lifecycle.ts';
import { refundLifecycle } from '../gateway/saved-cards/core/refund-lifecycle.ts';
import { systemClock } from '../shared/clock.ts';
import { createRuntime } from '../shared/create-runtime.ts';

/** The sentences of ARCHITECTURE.md, each by how it begins, with the check or the test that shows it. */

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const product = globSync('{gateway,shared,terminal-emulator}/**/*.ts', { cwd: root })
  .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
  .sort()
  .map((path) => ({ path, text: read(path) }));
const everywhere = globSync(
  '{cli,client,console,explore,gateway,leading,scenarios,shared,stack,terminal-emulator,testing}/**/*.{ts,tsx}',
  { cwd: root },
)
  .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
  .map((path) => ({ path, text: read(path) }));
const inFolder = (folder: string) => product.filter(({ path }) => path.startsWith(`${folder}/`));

/** The test of another file that shows it: its title, or how that begins. */
type ShownBy = (() => void) | readonly [file: string, title: string];

const house = (title: string) => ['test/house.test.ts', title] as const;

const histories = (title: string) => ['test/histories/histories.test.ts', title] as const;
const credits = (title: string) => ['gateway/credits/core/lifecycle.test.ts', title] as const;
const debits = (title: string) => ['gateway/saved-cards/core/lifecycle.test.ts', title] as const;
const engine = (title: string) => ['gateway/engine/engine.test.ts', title] as const;
const many = (title: string) => ['gateway/cluster/payments/many-gateways.test.ts', title] as const;
const invariant = (says: string) => ['test/histories/invariants.ts', says] as const;
const batches = (title: string) => ['shared/database/commit-contract.fixture.ts', title] as const;
const memory = (title: string) => ['terminal-emulator/terminal/memory.test.ts', title] as const;

const rooms: Record<string, readonly ShownBy[]> = {
  'Every room but `client/` may import `shared/` too': [roomsKeepToTheTable],
  '`cli/`, `gateway/` and `scenarios/` may read': [
    () =>
      expect(
        everywhere
          .filter(({ text }) => /from '[./]+\/package\.json'/.test(text))
          .map(({ path }) => path.split('/')[0])
          .filter((room) => !['cli', 'gateway', 'scenarios'].includes(room ?? '')),
      ).toEqual([]),
  ],
  '`test/house.test.ts` checks the rooms': [house('rooms import only along the arrows')],
  'In every folder, files and folders form no circle': [
    house('no file uses itself by way of others, types included'),
    house('what stands in a folder, files and folders, can be read from the ground up'),
  ],
  'There is one exception': [house("const lists = ['gateway/services.ts'];"), onlyTypesOfServices],
  'Two resources of the gateway never import each other': [
    house('no two resources of the gateway use each other'),
  ],
  'Only one file imports `blessed`': [
    () => expect(['blessed', 'pino', 'better-sqlite3'].map(importers)).toEqual([1, 1, 1]),
  ],
  'One file imports the SDK of `pinpad mcp`': [
    () =>
      expect(['@modelcontextprotocol/sdk/server/index.js', '@peculiar/asn1-x509'].map(importers)).toEqual([
        1, 1,
      ]),
  ],
  '`pg`, `ws`, `serialport` and `express` have two or three importers': [
    () =>
      expect(
        ['pg', 'ws', 'serialport', 'express'].filter((library) => ![2, 3].includes(importers(library))),
      ).toEqual([]),
  ],
  'Inside the gateway, `services.ts` opens every service': [servicesAreOpenedOnce],
  '`payments/create-payments.ts` opens those of payments': [
    () => expect(openedIn('PaymentService')).toEqual(['gateway/payments/create-payments.ts']),
    () => expect(callersOf('createPayments')).toEqual(['gateway/services.ts']),
  ],
  '`resources.ts` lists the endpoints': [
    () =>
      expect(read('gateway/resources.ts')).toMatch(
        /resources: readonly \(\(services: Services\) => readonly AnyEndpoint\[\]\)\[\]/,
      ),
    endpointsAreListed,
  ],
  'Each function names the services that it needs': [resourcesNameServices],
  'The endpoints of the control API are listed in': [
    () => expect([...loadedWith('gateway/index.ts')]).not.toContain('gateway/control/endpoints.ts'),
  ],
  'A new resource needs a folder': [endpointsAreListed],
  'If it keeps something': [servicesAreOpenedHere],
  'Only a dialect opens what it alone needs': [dialectsAreLoadedLate],
  'The OpenAPI document, the request checks': [
    everyEndpointIsDescribed,
    () =>
      expect(
        product.filter(({ text }) => /\bvalidate\(endpoint, /.test(text)).map(({ path }) => path),
      ).toEqual(['gateway/http/endpoint-router.ts']),
    ['test/conformance/conformance.test.ts', 'conformance((await openapiDocument()) as Document'],
  ],
};

const time: Record<string, readonly ShownBy[]> = {
  '`shared/clock.ts` is the only source': [
    house('time comes from shared/clock.ts and chance from shared/random.ts'),
  ],
  'Both are passed in': [house('only commands and createRuntime name the system clock')],
  'Only commands (`cli/`), the console': [
    house('^cli\\/|^console\\/page\\/main\\.tsx$|^shared\\/(clock|random|create-runtime)\\.ts$'),
  ],
  'A `Runtime` has a second clock': [
    () => {
      const { clock, realClock } = createRuntime({ clock: 'virtual' });
      expect([clock.virtual, realClock]).toEqual([true, systemClock]);
    },
  ],
  'It is used for what real people, networks and other gateways': [
    ['gateway/http/server.ts', 'realClock'],
    ['cli/up.ts', 'runTui(source, { clock: stack.runtime.realClock })'],
    ['gateway/webhooks/signature.ts', 'realClock'],
  ],
  'The virtual clock *steps*': [
    ['shared/virtual-clock.test.ts', 'what a timer causes settles before the next timer runs'],
  ],
  '`shared/in-flight.ts` counts': [
    () => expect(counters('sent')).toEqual(['shared/transport/link.ts']),
    () => expect(counters('arrived')).toEqual(['shared/transport/link.ts']),
    () =>
      expect(counters('begin')).toEqual(
        expect.arrayContaining([
          'gateway/http/exchange-time.ts',
          'shared/database/database.ts',
          'shared/lanes.ts',
        ]),
      ),
    ['shared/in-flight.test.ts', 'a frame is in flight from one end of a link to the other'],
    ['gateway/http/held.test.ts', 'virtual time stands still while a request is worked on'],
    ['shared/database/database.test.ts', 'counts a write as in flight until it is committed'],
    ['shared/skipping/skipping.test.ts', 'time stands while something is in flight'],
  ],
  'A request that waits for a person': [['gateway/http/held.test.ts', 'and moves while it is parked']],
  'So 150 s pass in milliseconds': [
    ['test/control-api.test.ts', '150 seconds and 48 hours pass in no time on a virtual clock'],
  ],
  'The same seed gives the same order': [
    ['test/control-api.test.ts', 'the same seed and the same acts give the same journal'],
  ],
  'A skipping clock is a virtual clock': [
    [
      'shared/skipping/skipping.test.ts',
      'time moves once nothing has happened for the patience, from timer to timer',
    ],
  ],
  '`shared/skipping/next-step.ts` decides': [
    ['shared/skipping/next-step.test.ts', 'time moves to the next timer, and no further than somebody waits'],
  ],
  'The decision depends on': [
    [
      'shared/skipping/next-step.test.ts',
      'time stands where nobody waits, or no longer, and where a person is asked',
    ],
    ['shared/skipping/next-step.test.ts', 'time stands until nothing has happened for the patience'],
  ],
  'Scenarios step by the same rule': [
    () =>
      expect(everywhere.filter(({ text }) => /\bnextStep\(/.test(text)).map(({ path }) => path)).toEqual([
        'shared/skipping/next-step.ts',
        'shared/skipping/stepper.ts',
      ]),
    () =>
      expect(
        everywhere.some(
          ({ path, text }) => path.startsWith('scenarios/') && text.includes('skipping/stepper.ts'),
        ),
      ).toBe(true),
  ],
};

const journal: Record<string, readonly ShownBy[]> = {
  'What happens is kept as typed entries': [everyKindIsAdded],
  'A `GET` makes an entry only if it needs': [onlyAccountsReadsAreKept],
  'Log lines, the live stream, the text UI and the tests': [
    () =>
      expect(
        ['shared/log.ts', 'gateway/control/journal.ts', 'terminal-emulator/tui/journal-lines.ts'].filter(
          (path) => !/from '[./]*(shared\/)?journal[\w-]*\.ts'/.test(read(path)),
        ),
      ).toEqual([]),
  ],
  'Cardholder data is removed at its source': [
    ['terminal-emulator/terminal/terminal.test.ts', 'no digit of a PIN or card number gets into the journal'],
  ],
  'Text from clients may still contain': [
    ['shared/masking/card-numbers.test.ts', 'a mask hides the secret of a payment link in any text'],
  ],
  '`shared/masking/` masks them when an entry is read': [
    ['shared/journal.test.ts', 'masking an entry leaves what it was given as it is'],
    ['shared/masking/card-numbers.test.ts', 'the data of an entry are masked in a copy'],
  ],
  'The data of an entry is made only when it is read': [
    ['shared/journal.test.ts', 'the data of an entry is drawn once, when it is first read'],
  ],
};

const payment: Record<string, readonly ShownBy[]> = {
  '`gateway/engine/` owns that loop for everything that moves': [onlyTheEngineLoops],
  'The inputs of one key take turns': [engine('the inputs of a key are decided one after the other')],
  'Effects come after the commit': [
    engine('effects come after the commit, and one that is an input gets a turn of its own'),
  ],
  'An effect that is itself an input': [
    engine('effects come after the commit, and one that is an input gets a turn of its own'),
  ],
  'A `Moving` tells it where': [movingsDecideByTables],
  'If the commit is refused, nothing has happened': [engine('a refused batch changes nothing in memory')],
  'If a row was not as the decision saw it': [
    engine('an input that is refused again and again is decided three times at most'),
    engine('as often as its kind says'),
  ],
  '`payments/core/lifecycle.ts` is a table': [everyPairIsNamed, histories('every state knows every input')],
  'It says what each input does in each state': [everyPairIsNamed],
  'The dice of the acquirer': [corePure],
  'The core is pure': [corePure, ['test/histories/planted-bugs.ts', 'a decision is another one each time']],
  "The acquirer's host decides in the same": [
    () => expect(read('gateway/payments/core/hosting.ts')).toMatch(/answerAsk\(booked, request, facts\)/),
  ],
  '*Accepted* is on disk before the first byte': [invariant('is sent and not on disk as delivered')],
  '*Concluded* is on disk before the answer': [invariant('is answered and not on disk')],
  'A message is acknowledged only after': [
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
  'When an input is decided, everything overdue': [
    [
      'gateway/payments/slow-disk.test.ts',
      'a cap that passed while the disk was busy is met as soon as the payment is stored',
    ],
  ],
  "The stored outcome of a payment is in no API's form": [
    onlyTheNativeApiRenders,
    [
      'gateway/payments/native-api/stored-outcomes.test.ts',
      'an outcome that an older release stored is answered to the byte',
    ],
  ],
  'Only `payments/native-api/` renders it': [onlyTheNativeApiRenders],
  'Debits, refunds and credits move by such tables too': [
    everyPairIsNamed,
    credits('every state knows every input'),
    debits('knows every input in every state'),
  ],
  'They are `saved-cards/core/lifecycle.ts`': [everyPairIsNamed],
  'A refund moves in the turns of its debit': [refundsAndVisitsHaveNoTurns],
  'A lone gateway keeps the debits': [
    () =>
      expect(read('gateway/saved-cards/debit-turns.ts')).toMatch(
        /store\.isShared \? undefined : recentDebits/,
      ),
    ['gateway/saved-cards/debit-turns.test.ts', 'what was used last is at hand'],
  ],
  'The state of a debit or credit is read': [
    () => expect(read('gateway/credits/credit-engine.ts')).toMatch(/install\(\) \{\}/),
    ['gateway/credits/credit-turns.test.ts', 'is decided on what another gateway has stored'],
    ['gateway/saved-cards/debit-turns.test.ts', 'is decided on what another gateway has stored'],
    ['gateway/saved-cards/debit-turns.test.ts', 'what was used last is at hand'],
  ],
  'A step is committed together with its event': [
    ['gateway/credits/credit-turns.test.ts', 'if its event cannot be stored, nothing of the step is'],
    ['gateway/saved-cards/debit-turns.test.ts', 'if its event cannot be stored, nothing of the step is'],
  ],
  'The core returns a refusal as a result': [
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
  '`webhooks/lifecycle.ts` is the table': [
    ['gateway/webhooks/lifecycle.test.ts', 'every state knows every input'],
  ],
  '`payments/create-payments.ts` puts the parts together': [builtFromTheBottom],
  'Effects, commits and states have names in lists': [namedMoments],
  'The crash test kills the gateway at each': [namedMoments],
  'The terminal runs its dialogue in `terminal-emulator/payment/`': [oneMachine],
  'It stores a ServiceID in its memory': [
    memory('a request is on disk before it is acknowledged'),
    [
      'terminal-emulator/terminal/payment-settlement.test.ts',
      'an outcome is in the memory before it is sent',
    ],
  ],
  'It sends the outcome again until': [
    [
      'terminal-emulator/terminal/recovery.test.ts',
      'a power cut between the approval and the result delivers the approval',
    ],
    [
      'terminal-emulator/terminal/reversals-recovery.test.ts',
      'the answer is sent until it is acknowledged, also by the next process',
    ],
  ],
};

const state: Record<string, readonly ShownBy[]> = {
  'The gateway has one SQLite file': [
    () =>
      expect(callersOf('Database\\.open')).toEqual([
        'gateway/store/store.ts',
        'terminal-emulator/terminal/memory.ts',
      ]),
    () => expect(callersOf('openStore')).toEqual(['gateway/store/open-data.ts']),
    ['terminal-emulator/terminal/memory.test.ts', 'everything is on disk before it is acted upon'],
  ],
  'Changes are values': [
    batches('a batch inserts, updates and deletes, in its order'),
    batches('a batch alone in its turn is refused wholly too'),
    invariant('is answered and not on disk'),
  ],
  'Only after the commit is a change true': [invariant('is answered and not on disk')],
  'After fifty batches a thread writes them': [['shared/database/sqlite.ts', 'threadAfter = 50']],
  'The batches that come up close together share': [
    [
      'shared/database/sqlite-batches.test.ts',
      'batches of which none fails are one transaction without savepoints',
    ],
  ],
  'Payments, results and the ledger are only added to': [onlyAddedTo],
  'A payment under way has a row in `open_payments`': [openPaymentsAreUpdated],
  'Decisions that must not overlap take turns': [
    ['shared/lanes.test.ts', 'turns of one lane come one after the other, those of others meanwhile'],
    ['gateway/refunds/sequences.property.test.ts', 'many at once, the sums and the books hold all the same'],
  ],
};

Object.assign(state, {
  'Rows of refunds, debits, credits and webhook deliveries are updated': [
    () =>
      expect(
        ['refunds', 'debits', 'credits', 'webhook_deliveries'].filter(
          (table) => writers(table).update?.length === 0,
        ),
      ).toEqual([]),
  ],
  "A terminal's memory has the payment under way": [
    memory('what is unfinished is recalled, and what was acknowledged is not'),
    memory('outcomes are swept out after 48 h, but not before they are delivered'),
    () => {
      const [, schema = ''] = read('terminal-emulator/terminal/memory-schema.ts').split(
        'interface MemorySchema {',
      );
      const tables = Array.from(schema.matchAll(/^ {2}(\w+): \{/gm), ([, table]) => table);
      expect(tables).toEqual(['under_way', 'outcome', 'undelivered', 'reversal', 'holder']);
    },
  ],
  'Statements about rows are built with Kysely': [sqlIsBuilt],
  'Those about transactions and sessions are text': [sqlIsBuilt],
  'Queries use what SQLite and PostgreSQL share': [house("PostgreSQL's own SQL stands in")],
  'What only SQLite has is in the files': [
    () =>
      expect(everywhere.filter(({ text }) => /better-sqlite3'/.test(text)).map(({ path }) => path)).toEqual([
        'shared/database/sqlite-connection.ts',
      ]),
    () =>
      expect(
        everywhere
          .filter(({ path, text }) => /\bpragma\(['"`]/.test(text) && !/^shared\/database\/sqlite/.test(path))
          .map(({ path }) => path),
      ).toEqual([]),
  ],
  'What only PostgreSQL has is in the files': [house("PostgreSQL's own SQL stands in")],
  'One set of tests runs over both databases': [
    ['shared/database/commit.test.ts', 'commit-contract.fixture.ts'],
    ['shared/database/postgres.test.ts', 'commit-contract.fixture.ts'],
  ],
});

const several: Record<string, readonly ShownBy[]> = {
  'With `database` in its configuration': [
    () => expect(read('gateway/index.ts')).toMatch(/if \(database === undefined\) return undefined;/),
  ],
  'The other resources deal with that through five interfaces': [fiveInterfaces],
  'A `Partition` says which gateway decides': [
    engine('the input of a key that another gateway has is decided there'),
    partitions,
  ],
  'Any gateway decides about debits and credits': [
    () =>
      expect(inFolder('gateway').filter(({ text }) => /\banyGateway\b/.test(text)).length).toBeGreaterThan(2),
  ],
  'For each interface there is a constant': [fiveInterfaces],
  'Only `services.ts` and `index.ts` choose': [onlyTwoChoose],
  'Some code asks the store whether it `isShared`': [
    fewAskTheStore,
    () =>
      expect(read('gateway/saved-cards/debit-turns.ts')).toMatch(
        /store\.isShared \? undefined : recentDebits/,
      ),
  ],
  'Each terminal belongs to one gateway': [many('a terminal that dials another takes its payment along')],
  'Every batch of that terminal names the epoch': [
    many('a former owner that nobody told changes nothing'),
    ['test/histories/two-owners/planted-bugs.ts', 'batches are not held to the owner'],
  ],
  'In `gateway/cluster/payments/`, `owning.ts` takes terminals': [
    many('one that ends leaves its terminals to the others at once'),
  ],
  '`accept-elsewhere.ts` accepts payments': [
    many('any takes a payment, also where another has the terminal'),
  ],
  '`sweeps.ts` and `elsewhere.ts` look into the database each second': [
    [
      'test/histories/two-owners/planted-bugs.ts',
      'nobody looks for what became of payments that other gateways run',
    ],
    many('one that nobody told ends the link of an idle terminal that another has taken'),
  ],
  'Any gateway decides about debits, credits and settings': [
    [
      'test/many-gateways/every-operation.test.ts',
      'succeeds behind a balancer that sends each request to the next of three gateways',
    ],
  ],
  'A batch of a debit or credit names the version': [
    [
      'gateway/refunds/sequences.property.test.ts',
      'that decide about one debit at the same moment do not both go by',
    ],
    ['gateway/credits/credit-turns.test.ts', 'is decided on what another gateway has stored'],
    () =>
      expect(fileAt('gateway/events/service.ts').text).toMatch(
        /\{ update: table, where: \{ id, version \}, set: \{ version: seq \} \}/,
      ),
  ],
  'Accounts, tokens and terminals are read and changed in one transaction': [settingsAreWritten],
  'A gateway on SQLite loads none of `gateway/cluster/`': [loneGatewaysLoadNothingOfIt],
};

describe.each([
  ['Rooms', rooms],
  ['A payment, end to end', payment],
  ['Time, randomness, and what is in flight', time],
  ['The journal', journal],
  ['State', state],
  ['Several gateways', several],
])('ARCHITECTURE.md, "%s"', (section, shown) => {
  const sentences = sentencesOf(section);
  const of = (sentence: string) => Object.keys(shown).find((beginning) => sentence.startsWith(beginning));

  test('has a check for every sentence, and no check is for a sentence that is gone', () => {
    expect(sentences.filter((sentence) => of(sentence) === undefined)).toEqual([]);
    const said = new Set(sentences.map(of));
    expect(Object.keys(shown).filter((beginning) => !said.has(beginning))).toEqual([]);
  });

  test.each(Object.entries(shown))('%s', (_, by) => {
    for (const shows of by) {
      if (typeof shows === 'function') shows();
      else expect(codeOf(shows[0]), `${shows[0]} shows it by "${shows[1]}"`).toContain(shows[1]);
    }
  });
});

/** A file without its comments and without the tests that do not run: neither shows anything. */
function codeOf(path: string): string {
  return read(path)
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)|\.(skip|todo)\(/.test(line))
    .join('\n');
}

/** The sentences of a section, without its tables and pictures. */
function sentencesOf(section: string): string[] {
  const [, text = ''] = read('ARCHITECTURE.md').split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return own
    .replace(/```[\s\S]*?```/g, '')
    .split('\n\n')
    .filter((paragraph) => !paragraph.trim().startsWith('|'))
    .flatMap((paragraph) => paragraph.replaceAll('\n', ' ').split(/(?<=\.)\s+(?=[A-Z*`])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** The maps of "Inside the rooms", each by its room. */
function maps(): [room: string, map: string][] {
  const [, all = ''] = read('ARCHITECTURE.md').split('\n## Inside the rooms\n');
  const [own = ''] = all.split('\n## ');
  return own
    .split(/\n(?=\*\*`)/)
    .slice(1)
    .map((map) => [/^\*\*`([\w/-]+)\/`/.exec(map)?.[1] ?? '', map]);
}

describe('ARCHITECTURE.md, "Inside the rooms"', () => {
  // No command can tell whether the words in brackets fit. On 2026-11-28 each was compared with the folder's file names and
  // with the docstrings of its main files.
  test('has a map of these rooms', () => {
    expect(maps().map(([room]) => room)).toEqual([
      'shared',
      'gateway',
      'gateway/payments',
      'terminal-emulator',
      'scenarios',
      'leading',
      'cli/mcp',
      'explore',
    ]);
  });

  test.each(maps())('%s/ has every file and folder that its map names', (room, map) => {
    const names = Array.from(map.matchAll(/`(?!\/)([\w./-]+(?:\.ts|\/))`/g), ([, name = '']) => name);
    expect(names.length).toBeGreaterThan(3);
    const isThere = (name: string) =>
      `${room}/` === name || globSync(`${room}/**/${name.replace(/\/$/, '')}`, { cwd: root }).length > 0;
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  test('`shared/`: single things are files', () => {
    const [, map = ''] = maps()[0] ?? [];
    const [, named = ''] = /single things are files, such as (.*)\.$/m.exec(map) ?? [];
    const files = Array.from(named.matchAll(/`([\w-]+)`/g), ([, name]) => `shared/${name}.ts`);
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((path) => !product.some((file) => file.path === path))).toEqual([]);
  });

  test('the folders of accounts, events and webhooks have services alone: `control/` has their endpoints', () => {
    const own = ['accounts', 'events', 'webhooks'].flatMap((folder) => inFolder(`gateway/${folder}`));
    expect(own.filter(({ text }) => /\bendpoint\(/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("the journal uses `masking/`, and `preload/` is what Node's variables name", () => {
    expect(runsOn(fileAt('shared/journal.ts'))).toContain('shared/masking/mask.ts');
    expect(read('leading/variables/node-variables.ts')).toContain('preload/lead.cjs');
  });

  test('`dialects/` are not loaded with the gateway', dialectsAreLoadedLate);
});

/** Each room imports only the rooms that its row of the table names, and `shared/`. */
function roomsKeepToTheTable(): void {
  const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `([\w-]+)\/` \| .* \| (.*) \|$/gm)];
  expect(rows.length).toBeGreaterThan(10);
  for (const [, room = '', may = ''] of rows.filter(([, room]) => room !== 'test')) {
    const used = everywhere
      .filter(({ path }) => path.startsWith(`${room}/`))
      .flatMap(({ path, text }) =>
        Array.from(
          text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g),
          ([, target = '']) => normalize(join(dirname(path), target)).split('/')[0],
        ),
      );
    const named = new Set(Array.from(may.matchAll(/`([\w-]+)`/g), ([, name]) => name));
    const others = new Set(used.filter((other) => other !== room && !/^package\.json$/.test(other ?? '')));
    if (room !== 'client') others.delete('shared');
    expect(
      [...others].filter((other) => !named.has(other)),
      `what ${room}/ imports`,
    ).toEqual([]);
  }
}

function fileAt(path: string) {
  const file = product.find((one) => one.path === path);
  if (!file) throw new Error(`there is no ${path}`);
  return file;
}

const callersOf = (name: string) =>
  product
    .filter(({ text }) => new RegExp(`(?<!function |class )\\b${name}(?:<\\w+>)?\\(`).test(text))
    .map(({ path }) => path);

const counters = (method: string) => callersOf(`inFlight\\.${method}`);

/** Where a service is made, other than by its own `open`. */
const openedIn = (service: string) =>
  product
    .filter(
      ({ text }) =>
        !text.includes(`class ${service} `) &&
        new RegExp(`\\bnew ${service}\\(|\\b${service}\\.open\\(`).test(text),
    )
    .map(({ path }) => path);

function servicesAreOpenedHere(): void {
  const services = inFolder('gateway').flatMap(({ text }) =>
    Array.from(text.matchAll(/^export class (\w+Service) /gm), ([, name = '']) => name),
  );
  expect(services.length).toBeGreaterThan(10);
  for (const service of services.filter((name) => name !== 'PaymentService'))
    expect(openedIn(service), service).toEqual(['gateway/services.ts']);
}

function dialectsAreLoadedLate(): void {
  const loaded = [...loadedWith('gateway/index.ts')];
  expect(loaded.filter((path) => path.startsWith('gateway/dialects/'))).toEqual([
    'gateway/dialects/dialects.ts',
  ]);
  expect(fileAt('gateway/dialects/dialects.ts').text).toMatch(
    /memoize\(async \(\) => \(await import\('\.\/adyen/,
  );
}

/** Every function that makes endpoints is in one of the two lists, or in a function of its own folder that is. */
function endpointsAreListed(): void {
  const [own, control] = ['gateway/resources.ts', 'gateway/control/endpoints.ts'].map(fileAt);
  const importedBy = (file: typeof own) =>
    Array.from(
      file?.text.matchAll(/^import \{ (\w+Endpoints) \} from '(.*)';/gm) ?? [],
      ([, name = '', from = '']) => ({
        name,
        path: normalize(join(dirname(file?.path ?? ''), from)),
      }),
    );
  const folders = importedBy(own).map(({ path }) => dirname(path));
  expect(new Set(folders).size).toBe(folders.length);
  expect(importedBy(control).filter(({ path }) => dirname(path) !== 'gateway/control')).toEqual([]);
  for (const list of [own, control]) {
    const [, listed = ''] = /esources: [^=]+(?:=> [^=]+)?= \[\n([^\]]*)\]/.exec(list?.text ?? '') ?? [];
    const names = listed
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    expect(names.sort()).toEqual(
      importedBy(list)
        .map(({ name }) => name)
        .sort(),
    );
  }
  const listed = new Set([...importedBy(own), ...importedBy(control)].map(({ name }) => name));
  const makers = inFolder('gateway').filter(({ path }) => !path.startsWith('gateway/dialects/'));
  const unlisted = makers
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/^export function (\w+Endpoints)\(/gm), ([, name = '']) => ({ path, name })),
    )
    .filter(({ name }) => !listed.has(name))
    .filter(
      ({ path, name }) =>
        !inFolder(dirname(path)).some((user) => user.path !== path && user.text.includes(`...${name}(`)),
    );
  expect(unlisted).toEqual([]);
}

function everyEndpointIsDescribed(): void {
  const { paths } = openapiDocument() as { paths: Record<string, object> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const served = allResources({} as never)
    .flat()
    .filter(({ documented }) => documented !== false)
    .map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(served.sort());
}

function onlyAccountsReadsAreKept(): void {
  const kept = allResources({} as never)
    .flat()
    .filter(({ method, journaled }) => method === 'get' && journaled !== 'nothing');
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.filter(({ guard }) => guard !== 'token').map(({ path }) => path)).toEqual([]);
}

function everyKindIsAdded(): void {
  const kinds = read('shared/journal-kinds.ts');
  const added = [
    'http.received',
    'message.received',
    'payment.accepted',
    'terminal.state',
    'terminal.screen',
  ];
  for (const kind of [...added, 'terminal.key', 'terminal.card', 'ledger.authorized', 'fault.injected']) {
    expect(kinds).toContain(`  '${kind}': `);
    const adding = product.filter(
      ({ path, text }) =>
        path !== 'shared/journal-kinds.ts' &&
        new RegExp(
          `(?:\\bjournal(?:\\.\\w+)?\\(\\s*|#journal(?:\\.\\w+)?\\(\\s*|add(?:Drawn)?\\(\\s*|kind: )'${kind}'`,
        ).test(text),
    );
    expect(adding.length, kind).toBeGreaterThan(0);
  }
}

function movingsDecideByTables(): void {
  const [, own = ''] = /interface Moving<[^{]*\{([\s\S]*?)^\}/m.exec(read('gateway/engine/engine.ts')) ?? [];
  for (const member of ['state(', 'lookUp(', 'decide(']) expect(own).toContain(`  ${member}`);
  const moving = product.filter(
    ({ path, text }) => text.includes('Moving<') && path !== 'gateway/engine/engine.ts',
  );
  expect(moving).toHaveLength(3);
  for (const file of moving)
    expect(file.text, file.path).toMatch(/^import \{ decide\b.* \} from '[./]+core\/lifecycle\.ts';/m);
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
  expect(fileAt('gateway/credits/visits.ts').text).toMatch(/turns: CreditTurns;/);
  expect(fileAt('gateway/refunds/service.ts').text).toMatch(/turns: DebitTurns;/);
}

function sqlIsBuilt(): void {
  const text =
    /(?<!sql|sql<[^`]*>)[`'"]\s*(insert into (?!the slot)|delete from|select [\w*,. ]+ from|update \w+ set|begin;|savepoint )/i;
  const byHand = everywhere.filter(({ text: code }) => text.test(code)).map(({ path }) => path);
  expect(byHand.length).toBeGreaterThan(0);
  expect(byHand.filter((path) => !path.startsWith('shared/database/'))).toEqual([]);
  const drivers = everywhere.filter(({ text: code }) => /from '(?:pg|better-sqlite3)'/.test(code));
  expect(drivers.filter(({ path }) => !path.startsWith('shared/database/'))).toEqual([]);
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

/** How many files import a library. */
function importers(library: string): number {
  return everywhere.filter(({ text }) => new RegExp(`(from|import)\\s*\\(?\\s*'${library}'`).test(text))
    .length;
}

function onlyTypesOfServices(): void {
  const users = everywhere.filter(
    ({ path, text }) => /^gateway\/.*\//.test(path) && /\/services\.ts'/.test(text),
  );
  const values = users.filter(({ text }) => /^import (?!type ).*\/services\.ts'/m.test(text));
  expect(users.length).toBeGreaterThan(5);
  expect(values).toEqual([]);
}

function servicesAreOpenedOnce(): void {
  const [, body = ''] = read('gateway/services.ts').split(/^export async function openServices/m);
  const opened = Array.from(
    body.matchAll(/(?:\bnew (\w*Service)\(|\b(\w*Service)\.open\()/g),
    ([, a, b]) => a ?? b,
  );
  expect(opened.length).toBeGreaterThan(5);
  expect(opened.filter((name, index) => opened.indexOf(name) !== index)).toEqual([]);
  expect(body).not.toMatch(/^\s*let /m);
}

function resourcesNameServices(): void {
  const files = Array.from(
    read('gateway/resources.ts').matchAll(/from '\.\/(.*\.ts)'/g),
    ([, path]) => path ?? '',
  );
  const whole = files.filter(
    (path) => path !== 'services.ts' && /\w: Services\b/.test(read(`gateway/${path}`)),
  );
  expect(whole).toEqual([]);
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
    'gateway/payments/moving/idempotency-keys.ts',
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
