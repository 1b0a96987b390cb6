import type { Page } from 'playwright-core';

/** The options of a page that may read the clipboard. */
export const clipboardPageOptions = { permissions: ['clipboard-read', 'clipboard-write'] };

/**
 * Searches for `find`, opens the last entry whose name matches `entry`, and presses the button `button`. Returns the
 * text on the clipboard.
 */
export async function copyFromEntry(
  page: Page,
  find: string,
  entry: RegExp,
  button: string,
): Promise<string> {
  await page.evaluate('navigator.clipboard.writeText("")');
  await page.getByRole('searchbox', { name: 'Find' }).fill(find);
  await page.getByRole('option', { name: entry }).last().click();
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return page.evaluate<string>('navigator.clipboard.readText()');
}
