import { join } from 'node:path';
import { languages } from '../shared/emulator/screen.ts';
import { errorConditions, lowerCamel, type PaymentBrand, paymentBrands } from '../shared/nexo/enums.ts';
import { defaultCards } from '../terminal-emulator/cards/default-cards.ts';
import type { LineSettings } from '../terminal-emulator/readers/reader-driver.ts';
import { driverChoices } from '../terminal-emulator/readers/reader-drivers.ts';

/** Pages and scenarios that repeat a list defined in the code. `npm run generate` writes their copies from the code. */
export const pagesWithEnumerations = [
  {
    path: 'docs/behaviour.md',
    lists: [
      [/(?<=^\| B15 \|.*two or more of )[^.]+(?=\.)/m, quoted(paymentBrands)],
      [/(?<=^\| B20 \|.*exist in )[^;]+(?=;)/m, spoken(languages, 'and')],
      [/(?<=^\| B34 \|.*in lowerCamel: )[^.]+(?=\.)/m, errorConditions.map(lowerCamel).join(', ')],
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
      [/(?<=USB serial port with the protocols of )[^;]+?(?=, 300 ms each)/, spoken(askedReaders(), 'and')],
    ],
  },
  { path: 'README.md', lists: [[/\d+(?= test cards, and your own)/, `${defaultCards.length}`]] },
  {
    path: 'scenarios/library/outcomes/any-condition.yaml',
    lists: examples(errorConditions.map((nexo) => `nexo: ${nexo}, condition: ${lowerCamel(nexo)}`)),
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
    if (!where.test(text)) throw new Error(`${path} has no list where ${where} looks for it`);
    return text.replace(where, () => list);
  }, now);
}

/** Returns the lists of a scenario's examples, with one example on each line. */
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
 * Returns the error conditions by their names in the control API. One of these names differs from that in the payments
 * API by more than its first letter.
 */
function conditionNames(): string {
  return errorConditions
    .map((name) => {
      const plain = name[0]?.toLowerCase() + name.slice(1);
      return plain === lowerCamel(name) ? `\`${name}\`` : `\`${name}\` (as \`${lowerCamel(name)}\`)`;
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
 * Returns the brands of which no card asks for a PIN, and one card that asks for none although other cards of its brand
 * do.
 */
function brandsWithoutPin(): string[] {
  const brands = paymentBrands.filter((brand) => !pinCard(brand));
  const rows = brands.map((brand) => `brand: ${brand}, card: ${chipCards(brand)[0]?.id}`);
  return [...rows, 'brand: mc, card: no-pin'];
}

/** Returns the rows of a table: one for each driver of serial readers, and one for each of its further framings. */
function readerRows(): string {
  return driverChoices
    .map(({ driver, framing, reads, devices, line }) => {
      const name = `\`${driver}\`${framing === undefined ? '' : ` with \`?framing=${framing}\``}`;
      return `| ${name} | ${reads} | ${devices} | ${lineText(line)} |\n`;
    })
    .join('');
}

/** Writes the settings of a line as manuals do: `115200 8N1`. */
function lineText({ baudRate, dataBits, parity, stopBits }: LineSettings): string {
  return `${baudRate} ${dataBits}${parity.slice(0, 1).toUpperCase()}${stopBits}`;
}

/** Returns the drivers whose readers answer a greeting, in the order in which `auto` tries them. */
function askedReaders(): string[] {
  const asked = driverChoices.filter(({ answers }) => answers);
  return [...Map.groupBy(asked, ({ driver }) => driver)].map(
    ([driver, { length }]) => `\`${driver}\`${length > 1 ? ` (with any framing)` : ''}`,
  );
}
