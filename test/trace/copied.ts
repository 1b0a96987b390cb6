import type { Page } from 'playwright-core';

/** Options of a page that may read what was copied. */
export const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

/** What a button puts on the clipboard, for the last entry that `find` finds and is called so. */
export async function copied(page: Page, find: string, entry: RegExp, button: string): Promise<string> {
  await page.evaluate('navigator.clipboard.writeText("")');
  await page.getByRole('searchbox', { name: 'Find' }).fill(find);
  await page.getByRole('option', { name: entry }).last().click();
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return page.evaluate<string>('navigator.clipboard.readText()');
}
