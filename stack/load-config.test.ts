import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from './load-config.ts';
import { StartError } from './start-error.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinpad-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function load(yaml: string) {
  const file = join(folder, 'pinpad.yaml');
  writeFileSync(file, yaml);
  return loadConfig(file);
}

function fault(yaml: string): string {
  try {
    load(yaml);
  } catch (error) {
    return (error as Error).message.replaceAll(join(folder, 'pinpad.yaml'), 'pinpad.yaml');
  }
  throw new Error('it was accepted');
}

test('an empty file gives all defaults', () => {
  expect(load('')).toMatchObject({ host: '127.0.0.1', port: 8080, clock: 'real', logLevel: 'warn' });
});

test('accounts, stores and terminals are read', () => {
  const read = load(`
port: 0
accounts:
  - name: Corner Shop
    currency: JPY
    stores:
      - name: Corner
        terminals:
          - poiId: V400m-1
            payoutAccount: null
`);
  expect(read.accounts?.[0]?.stores[0]?.terminals[0]).toMatchObject({
    poiId: 'V400m-1',
    payoutAccount: null,
  });
});

test('a value that is not allowed is reported by file, line and what is allowed', () => {
  expect(fault('port: 0\n\nclock: fast\n')).toMatch(
    /^pinpad\.yaml:3: clock: must be one of real, virtual, skipping$/,
  );
});

test('a text in a wrong form is reported with the form that it must have', () => {
  const card = `cards:
  - id: My Visa
    label: Mine
    number: '4242 4242'
    expiry: '2030'
    country: GBR
    funding: credit
    applications:
      - { aid: A0000000031010, label: VISA, brand: visa }
    pin: secret
    chip: { verification: none }
accounts:
  - name: A
    contacts: [{ name: R, email: nobody }]
`;
  expect(fault(card).split('\n')).toEqual([
    'pinpad.yaml:14: accounts.0.contacts.0.email: must be an address such as robin@example.com',
    'pinpad.yaml:2: cards.0.id: must be at most 41 lower-case letters, digits and hyphens',
    'pinpad.yaml:4: cards.0.number: must be 12 to 19 digits',
    'pinpad.yaml:5: cards.0.expiry: must be MMYY',
    'pinpad.yaml:6: cards.0.country: must be three digits, the ISO 3166 number of a country',
    'pinpad.yaml:10: cards.0.pin: must be 4 to 6 digits',
  ]);
});

test('an unknown field is reported by line with the known fields', () => {
  expect(fault('accounts:\n  - name: A\n    colour: red\n')).toMatch(
    /^pinpad\.yaml:3: accounts\.0: colour is not known here; allowed: name, currency, /,
  );
});

test.each([
  ['acounts:\n  - name: A\n', 1, 'acounts', 'accounts'],
  ['accounts:\n  - name: A\n    curency: EUR\n', 3, 'accounts.0: curency', 'currency'],
  ['memory: true\nprot: 8080\n', 2, 'prot', 'port'],
])('a mistyped key is answered with the probable one: %j (B261)', (yaml, line, wrong, meant) => {
  const said = fault(yaml);
  expect(said).toMatch(new RegExp(`^pinpad\\.yaml:${line}: `));
  expect(said).toContain(`${wrong} is not known here; did you mean ${meant}? Allowed: `);
});

test('a terminal that occurs twice is reported by line', () => {
  const store = (name: string) => `      - name: ${name}\n        terminals: [{ poiId: A-1 }]\n`;
  expect(fault(`accounts:\n  - name: Shop\n    stores:\n${store('One')}${store('Two')}`)).toBe(
    'pinpad.yaml:7: accounts.0.stores.1.terminals.0.poiId: A-1 is used twice',
  );
});

test('an account that occurs twice, or has the id of another, is reported by line', () => {
  expect(fault('accounts:\n  - name: Shop\n  - name: Shop\n')).toBe(
    'pinpad.yaml:3: accounts.1.name: Shop is used twice',
  );
  expect(fault('accounts:\n  - name: The shop\n  - name: The Shop!\n')).toBe(
    'pinpad.yaml:3: accounts.1.name: The Shop! has the same id as The shop: the-shop',
  );
});

test('contacts, saved cards and bank accounts with the same identity are reported by line', () => {
  const lists = (...lines: string[]) => fault(`accounts:\n  - name: A\n${lines.join('\n')}\n`);
  expect(lists('    contacts:', '      - name: Robin', '      - name: Robin')).toBe(
    'pinpad.yaml:5: accounts.0.contacts.1.name: Robin is used twice: give one of them another id',
  );
  expect(lists('    bankAccounts:', '      - name: Till 1', '      - name: Till-1')).toBe(
    'pinpad.yaml:5: accounts.0.bankAccounts.1.name: Till-1 has the same id as Till 1, a-till-1: give one of them another id',
  );
  expect(lists('    bankAccounts:', '      - { id: x, name: 1 st }', '      - { id: x, name: 2 nd }')).toBe(
    'pinpad.yaml:5: accounts.0.bankAccounts.1.id: x is used twice',
  );
  expect(
    lists(
      '    contacts:',
      '      - name: R',
      '        cards:',
      '          - card: visa',
      '          - card: visa',
    ),
  ).toBe(
    'pinpad.yaml:7: accounts.0.contacts.0.cards.1.card: visa is used twice: give one of them another id',
  );
  const own =
    '    contacts: [{ name: R, cards: [{ card: visa }, { id: other, card: visa }] }, { id: r2, name: R }]';
  expect(() => lists(own)).toThrow('it was accepted');
});

test('two stores of one name in an account are reported by line, but two accounts may have one each', () => {
  expect(fault('accounts:\n  - name: A\n    stores:\n      - name: Till\n      - name: Till\n')).toBe(
    'pinpad.yaml:5: accounts.0.stores.1.name: Till is used twice: rename one store, or put all terminals into one',
  );
  const each = '    stores: [{ name: Till }]\n';
  expect(() => fault(`accounts:\n  - name: A\n${each}  - name: B\n${each}`)).toThrow('it was accepted');
});

test.each([
  ['one address', 'https://pos.example.com/SECRET', 'https://pos.example.com/SECRET'],
  [
    'addresses that begin alike',
    `https://pos.example.com/${'SECRET-'.repeat(9)}1`,
    `https://pos.example.com/${'SECRET-'.repeat(9)}2`,
  ],
])('webhooks of %s with the same identity are reported by line, without the address', (_what, one, other) => {
  const webhooks = (...lines: string[]) =>
    fault(`accounts:\n  - name: A\n    webhooks:\n      - ${lines.join('\n      - ')}\n`);
  expect(webhooks(`url: ${one}`, `url: ${other}`)).toBe(
    'pinpad.yaml:5: accounts.0.webhooks.1.url: has the same id as accounts.0.webhooks.0: give one of them another id',
  );
  expect(webhooks(`{ id: x, url: ${one} }`, `{ id: x, url: ${other} }`)).toBe(
    'pinpad.yaml:5: accounts.0.webhooks.1.id: x is used twice',
  );
  expect(() => webhooks(`url: ${one}`, `{ id: x, url: ${other} }`)).toThrow('it was accepted');
});

test('a webhook with the id of the webhook for the results of /async is reported by line', () => {
  const config = (id: string) =>
    `accounts:\n  - name: A\n    webhooks: [{ id: ${id}, url: https://x }]\n    adyen:\n      events: https://y\n`;
  expect(fault(config('a-adyen-results'))).toBe(
    'pinpad.yaml:5: accounts.0.adyen.events: needs the id a-adyen-results, but accounts.0.webhooks.0 has this id: give that webhook another id',
  );
  expect(() => fault(config('a-results'))).toThrow('it was accepted');
});

test.each([
  'https://till:SECRET@pay.example.com',
  'https://pay.example.com/?a=1',
  'https://pay.example.com/shop',
  'https://pay.example.com#x',
  'ftp://pay.example.com',
  'pay.example.com',
])('a publicUrl that cannot be the start of payment links is refused and not shown: %s', (url) => {
  expect(fault(`port: 1\npublicUrl: '${url}'\n`)).toBe(
    'pinpad.yaml:2: publicUrl: must be an address such as https://pay.example.com, without a user, path, ? or #',
  );
});

test('a saved card that is not a test card is reported by line, with the test cards', () => {
  const saved = (card: string) =>
    `accounts:\n  - name: A\n    contacts:\n      - name: R\n        cards: [{ card: ${card} }]\n`;
  expect(fault(saved('nope'))).toMatch(
    /^pinpad\.yaml:5: accounts\.0\.contacts\.0\.cards\.0\.card: nope is not a test card that can be saved; allowed: visa, /,
  );
  expect(fault(saved('No!'))).toMatch(/card: must be the id of a test card, such as visa$/);
});

test.each([
  ['pacing: fast', 'pacing: must be one of natural, instant'],
  ['host: 4', 'host: must be a text, not a number'],
  ['port: high', 'port: must be a number, not a text'],
  ['port: 1.5', 'port: must be a whole number'],
  ['port: 99999', 'port: must be at most 65535'],
  ['timeScale: 0', 'timeScale: must be more than 0'],
  ['console: ~', 'console: must be true or false, not nothing'],
  ['accounts: none', 'accounts: must be a list, not a text'],
  ['accounts: [A]', 'accounts.0: must be fields (name: value), not a text'],
  ["accounts: [{ name: '' }]", 'accounts.0.name: must not be empty'],
  ['- accounts', 'the file: must be fields (name: value), not a list'],
  [
    'readers: { wedge: 5 }',
    'readers.wedge: must be true or false, not a number, or must be fields (name: value), not a number',
  ],
])('the requirement for a value is given in the words of the file: %s', (text, message) => {
  expect(fault(`${text}\n`)).toBe(`pinpad.yaml:1: ${message}`);
});

test('a missing field is reported as such', () => {
  expect(fault('accounts:\n  - currency: EUR\n')).toBe('pinpad.yaml:2: accounts.0.name: is missing');
});

test('every fault of a file is reported', () => {
  expect(fault('port: 99999\nclock: fast\n').split('\n')).toHaveLength(2);
});

test('text that is not YAML is reported by line', () => {
  expect(fault('port: 1\nhost: "unclosed\n')).toMatch(/^pinpad\.yaml:\d: /);
  expect(fault('port: 1\n---\nport: 2\n')).toBe(
    'pinpad.yaml:2: a second document begins here, but a file may have only one',
  );
});

test('a secret that YAML takes for an alias is reported by line, and not shown', () => {
  expect(fault('port: 1\ncontrolToken: *SECRET1234567890123456\n')).toBe(
    'pinpad.yaml:2: a text that begins with * must be in quotes; without them it is a YAML alias, and this alias is not defined',
  );
});

test.each([
  ['a line break', String.raw`"SECRET1234567890\n123456"`],
  ['a space', 'SECRET1234567890 123456'],
  ['an umlaut', 'SECRET1234567890ä123456'],
])('a token with %s, which cannot be in a header, is reported by line, and not shown', (_what, token) => {
  expect(fault(`port: 1\ncontrolToken: ${token}\n`)).toMatch(
    /^pinpad\.yaml:2: controlToken: must consist of visible ASCII characters, without [\w ]+$/,
  );
  expect(fault(`accounts:\n  - name: A\n    tokens: [{ token: ${token} }]\n`)).toMatch(
    /^pinpad\.yaml:3: accounts\.0\.tokens\.0\.token: must consist of visible ASCII characters, without [\w ]+$/,
  );
});

test('exponentially growing aliases are refused', () => {
  const many = (name: string) => `[${Array(8).fill(`*${name}`).join(', ')}]`;
  expect(fault(`a: &a [x]\nb: &b ${many('a')}\nc: &c ${many('b')}\nd: ${many('c')}\n`)).toBe(
    'pinpad.yaml: its YAML aliases expand to too much data',
  );
});

test('a missing file is reported by name', () => {
  expect(() => loadConfig(join(folder, 'none.yaml'))).toThrow(/cannot read the configuration .*none\.yaml/);
});

test('a file of unreasonable or endless size is not read to its end', () => {
  writeFileSync(join(folder, 'large.yaml'), ' '.repeat(1_000_001));
  for (const file of [join(folder, 'large.yaml'), ...(existsSync('/dev/zero') ? ['/dev/zero'] : [])])
    expect(() => loadConfig(file)).toThrow(
      new StartError(`cannot read the configuration ${file}: it has more than 1 MB`),
    );
  writeFileSync(join(folder, 'largest.yaml'), `port: 1${' '.repeat(999_992)}`);
  expect(loadConfig(join(folder, 'largest.yaml')).port).toBe(1);
});

test('an unknown currency is refused', () => {
  expect(fault('accounts:\n  - name: A\n    currency: EURO\n')).toMatch(
    /:3: accounts\.0\.currency: must be an ISO 4217/,
  );
});

test('the example in docs/configuration.md is accepted unchanged', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/configuration.md'), 'utf8');
  const yaml = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const read = load(yaml);
  expect(read.accounts?.[0]?.stores[0]?.terminals).toHaveLength(2);
  expect(read.cards[0]?.id).toBe('my-loyal-visa');
});
