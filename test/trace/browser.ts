import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll } from 'vitest';

const program = '/usr/bin/chromium';

/** Without the switches behind the first three, Chromium looks for hosts that are none of a test's business. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A page, and everything that went wrong or was fetched on it. */
export interface WatchedPage {
  readonly page: Page;
  readonly complaints: string[];
  readonly fetched: string[];
}

/** Opens an address in Chromium. */
export type OpenPage = (url: string, options?: { colorScheme?: 'light' | 'dark' }) => Promise<WatchedPage>;

/** One Chromium for the tests of a file, launched for the first page and closed after the last test. */
export function chromiumOfThisFile(): OpenPage {
  let browser: Promise<Browser> | undefined;
  afterAll(async () => {
    await (await browser)?.close();
  });
  return (url, options = {}) => {
    browser ??= chromium.launch({ executablePath: program, args: flags });
    return openPage(browser, url, options);
  };
}

async function openPage(
  browser: Promise<Browser>,
  url: string,
  options: { colorScheme?: 'light' | 'dark' },
): Promise<WatchedPage> {
  const page = await (await browser).newPage({ viewport: { width: 1400, height: 900 }, ...options });
  const complaints: string[] = [];
  const fetched: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => fetched.push(request.url()));
  await page.goto(url);
  return { page, complaints, fetched };
}
