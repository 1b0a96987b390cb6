import { join } from 'node:path';
import { languages } from '../shared/emulator/screen.ts';
import { errorConditions, type PaymentBrand, paymentBrands, toLowerCamel } from '../shared/nexo/enums.ts';
import { defaultCards } from '../terminal-emulator/cards/default-cards.ts';
import type { LineSettings } from '../terminal-emulator/readers/reader-driver.ts';
import { driverChoices } from '../terminal-emulator/readers/reader-drivers.ts';

/** The pages and scenarios with copies of lists that the code defines. `npm run generate` writes these copies. */
export const pagesWithEnumerations = [
  {
    path: 'docs/behaviour.md',
    lists: [
      [/(?<=^\| B15 \|.*two or more of )[^.]+(?=\.)/m, quoted(paymentBrands)],
      [/(?<=^\| B20 \|.*exist in )[^;]+(?=;)/m, spoken(languages, 'and')],
      [/(?<=^\| B34 \|.*in lowerCamel: )[^.]+(?=\.)/m, errorConditions.map(toLowerCamel).join(', ')],
    ],
  },
  {
    path: 'docs/outcomes.md',
    lists: [[/(?<=with a lower-case first letter: )[^|]+(?= \|)/, conditionNames()]],
  },
  {
    path: 'docs/payment-links.md',
    lists: [[/(?<=merchant and the amount, in )[a-z, ]+(?=, whichever)/, spoken(languages, 'or')]],
  },
  {
    path: 'docs/readers.md',
    lists: [
      [/(?<=^\| Driver \| Reads \| Devices \| Line \|\n\|---\|---\|---\|---\|\n)(?:\|.*\n)+/m, readerRows()],
      [
        /(?<=USB serial port with the protocols of )[^;.]+?(?=\. With each\nprotocol, `auto` waits)/,
        spoken(askedReaders(), 'and'),
      ],
    ],
  },
  { path: 'README.md', lists: [[/\d+(?= test cards, and your own)/, `${defaultCards.length}`]] },
  {
    path: 'scenarios/library/outcomes/any-condition.yaml',
    lists: examples(errorConditions.map((nexo) => `nexo: ${nexo}, condition: ${toLowerCamel(nexo)}`)),
  },
  { path: 'scenarios/library/paying/every-brand.yaml', lists: examples(brandsWithPin()) },
  { path: 'scenarios/library/paying/no-pin-cards.yaml', lists: examples(brandsWithoutPin()) },
  ...['screens', 'receipts'].map((shown) => ({
    path: `scenarios/library/languages/${shown}.yaml`,
    lists: examples(languages.map((language) => `language: ${language}`)),
  })),
].map(({ path, lists }) => ({
  path: join(import.meta.dirname, '..', path),
  text: (now: string) => written(path, now, lists as readonly List[]),
}));

/** The place of a list in a page, and the text of the list. */
type List = readonly [where: RegExp, list: string];

function written(path: string, now: string, lists: readonly List[]): string {
  return lists.reduce((text, [where, list]) => {
    if (!where.test(text)) throw new Error(`${path} has no list that matches ${where}`);
    return text.replace(where, () => list);
  }, now);
}

/** Returns the examples of a scenario as a list, with one example on each line. */
function examples(rows: readonly string[]): readonly List[] {
  return [[/(?<=^examples:\n)(?: {2}- .*\n)+/m, rows.map((row) => `  - { ${row} }\n`).join('')]];
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function spoken(names: readonly string[], last: 'and' | 'or'): string {
  return `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}

/**
 * Returns the names of the error conditions in the control API. If the payments API uses another name, and more than
 * the first letter differs, the text has both names.
 */
function conditionNames(): string {
  return errorConditions
    .map((name) => {
      const plain = name[0]?.toLowerCase() + name.slice(1);
      return plain === toLowerCamel(name) ? `\`${name}\`` : `\`${name}\` (as \`${toLowerCamel(name)}\`)`;
    })
    .join(' ');
}

function chipCards(brand: PaymentBrand) {
  return defaultCards.filter(({ chip, applications }) => chip && applications[0]?.brand === brand);
}

function pinCard(brand: PaymentBrand) {
  return chipCards(brand).find(({ chip }) => /pin/i.test(chip?.verification ?? ''));
}

function brandsWithPin(): string[] {
  return paymentBrands.flatMap((brand) => {
    const card = pinCard(brand);
    if (!card) return [];
    const pin = card.pin?.length === 4 ? 'right' : `"${card.pin}"`;
    return [`brand: ${brand}, card: ${card.id}, pin: ${pin}`];
  });
}

/**
 * Returns an example for each brand that has no card that asks for a PIN. Adds an example with the card `no-pin`. This
 * card asks for no PIN, although other cards of its brand ask for one.
 */
function brandsWithoutPin(): string[] {
  const brands = paymentBrands.filter((brand) => !pinCard(brand));
  const rows = brands.map((brand) => `brand: ${brand}, card: ${chipCards(brand)[0]?.id}`);
  return [...rows, 'brand: mc, card: no-pin'];
}

/**
 * Returns the rows of the table of serial readers. The table has a row for each driver, and a row for each further
 * framing of a driver.
 */
function readerRows(): string {
  return driverChoices
    .map(({ driver, framing, reads, devices, line }) => {
      const name = `\`${driver}\`${framing === undefined ? '' : ` with \`?framing=${framing}\``}`;
      return `| ${name} | ${reads} | ${devices} | ${lineText(line)} |\n`;
    })
    .join('');
}

/** Returns the settings of a serial line in the form of manuals, such as `115200 8N1`. */
function lineText({ baudRate, dataBits, parity, stopBits }: LineSettings): string {
  return `${baudRate} ${dataBits}${parity.slice(0, 1).toUpperCase()}${stopBits}`;
}

/**
 * Returns the drivers in the order in which `auto` tries them. These are the drivers whose readers answer a greeting.
 */
function askedReaders(): string[] {
  const asked = driverChoices.filter(({ answers }) => answers);
  return [...Map.groupBy(asked, ({ driver }) => driver)].map(
    ([driver, { length }]) => `\`${driver}\`${length > 1 ? ` (with any framing)` : ''}`,
  );
}
