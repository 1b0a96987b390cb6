import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ReadyPinpad } from '../cli/pinpad-process.ts';
import { runPinpadInProcess } from '../cli/run-pinpad-in-process.ts';

/** Looks for one card number, in every form, in everything that a test left behind. */

export const searchedCardNumber = '4761739001010010';

export type SearchedGateway = Pick<ReadyPinpad, 'url' | 'token' | 'controlToken'> & {
  readonly terminals: readonly { readonly poiId: string; readonly identifier: string }[];
};

/**
 * The number in all forms in which it may be stored: as text, packed as on chips, in UTF-16, and each of these in
 * hexadecimal or Base64. The list also has the other data of the card's tracks.
 */
const forms = [
  searchedCardNumber,
  searchedCardNumber.replaceAll(/\d{4}(?=\d)/g, '$& '),
  Buffer.from(searchedCardNumber, 'hex').toString('latin1'),
  Buffer.from(searchedCardNumber).toString('hex'),
  Buffer.from(searchedCardNumber, 'utf16le').toString('latin1'),
  Buffer.from(searchedCardNumber, 'utf16le').toString('hex'),
  ...base64Within(Buffer.from(searchedCardNumber)),
  ...base64Within(Buffer.from(searchedCardNumber, 'hex')),
  ...base64Within(Buffer.from(searchedCardNumber, 'utf16le')),
  'TEST/CARD',
  '11845888890000',
];

/**
 * Returns how bytes look inside the Base64 of longer data. There are three forms, because the bytes can begin at three
 * positions.
 */
function base64Within(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), whole);
  });
}

/** Returns the forms of the number that the text contains. */
export const findCardNumberForms = (text: string) => forms.filter((form) => text.includes(form));

export function readAllFilesIn(folder: string): { name: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((name) => ({ name, text: readFileSync(name, 'latin1') }));
}

export async function getText(ready: SearchedGateway, path: string): Promise<string> {
  const token = path.startsWith('/control') ? ready.controlToken : ready.token;
  const response = await fetch(ready.url + path, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

export async function payByReader(ready: SearchedGateway, act: () => void): Promise<string> {
  const [terminal] = ready.terminals;
  const answer = fetch(`${ready.url}/terminals/${terminal?.identifier}/payment-request`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ paymentTransaction: { amountsReq: { requestedAmount: 10 } } }),
  });
  await getText(ready, `/control/terminals/${terminal?.poiId}/screen?until=presentCard`);
  act();
  return (await answer).text();
}

/** Returns every answer of the API about a payment and its terminal. */
export async function answersAbout(ready: SearchedGateway, identifier: string): Promise<string[]> {
  const at = `/control/terminals/${ready.terminals[0]?.poiId}`;
  const answers: string[] = [];
  for (const path of [
    `/payment-requests/status?transactionId=${identifier}`,
    `/control/payments/${identifier}`,
    '/control/payments',
    '/control/journal?limit=1000',
    '/control/ledger',
    `${at}/screen`,
    `${at}/receipts`,
    '/control/test-cards',
  ])
    answers.push(await getText(ready, path));
  return answers;
}

/** Makes the trace page of what happened, as a user does. */
export async function exportTracePage(
  { url, controlToken }: Pick<SearchedGateway, 'url' | 'controlToken'>,
  output: string,
): Promise<string> {
  const args = ['trace', '--output', output, '--url', url, '--control-token', controlToken];
  expect(await runPinpadInProcess(args)).toMatchObject({ code: 0 });
  const page = readFileSync(output, 'utf8');
  expect(page).toContain('476173 **** 0010');
  return page;
}
