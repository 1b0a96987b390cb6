import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

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
export type OpenPage = (url: string, options?: BrowserContextOptions) => Promise<WatchedPage>;

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

/** The same with pages that its tests use one after the other: a new one takes longer than most of what is done on it. */
export function pagesOfThisFile(): (
  url: string,
  options?: { colorScheme?: 'light' | 'dark' },
) => Promise<WatchedPage> {
  const openPage = chromiumOfThisFile();
  const free: WatchedPage[] = [];
  return async (url, { colorScheme = 'light' } = {}) => {
    const watched = free.pop() ?? (await openPage('about:blank'));
    onTestFinished(async () => {
      await watched.page.goto('about:blank'); // after this nothing of the former page is reported
      watched.complaints.length = 0;
      watched.fetched.length = 0;
      free.push(watched);
    });
    await watched.page.emulateMedia({ colorScheme });
    await watched.page.goto(url);
    return watched;
  };
}

async function openPage(
  browser: Promise<Browser>,
  url: string,
  options: BrowserContextOptions,
): Promise<WatchedPage> {
  const context = await (await browser).newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const fetched: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => fetched.push(request.url()));
  await page.goto(url);
  return { page, complaints, fetched };
}
