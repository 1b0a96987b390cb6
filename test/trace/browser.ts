import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/**
 * Chromium without a window, if that program is installed. For the same pages, it takes a fifth less CPU than
 * Chromium with a window.
 */
const shell = '/usr/bin/chromium-headless-shell';
const program = existsSync(shell) ? shell : '/usr/bin/chromium';

/**
 * The switch `--disable-features` replaces Playwright's own list. So this list repeats those entries that change how
 * a page behaves here. The entries that begin with `WebUIOmnibox` turn off pages of the address bar, which otherwise
 * have invisible processes for each window.
 */
const withoutFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  `--disable-features=${withoutFeatures.join()}`,
  // Without this limit, each gateway that a page shows has a process of its own, and Chromium keeps a spare process.
  '--renderer-process-limit=1',
  // No page lives long enough to gain from the optimizing compilers.
  '--js-flags=--no-turbofan,--no-maglev',
  // By default Chromium looks up hosts that tests do not need.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
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

const usualSize = { width: 1400, height: 900 };

/**
 * All test files that a worker runs one after another share one Chromium. Playwright ends it together with the worker.
 */
let launched: Promise<Browser> | undefined;
/**
 * Unused pages. The key is the text of a page's options. They are kept, because opening a new page takes longer than
 * most of what a test does on it.
 */
const free = new Map<string, WatchedPage[]>();
let blank: Promise<string> | undefined;

/** Opens an address in Chromium. The page has no cookies, and only this test uses it until the test has finished. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const { colorScheme = 'light', viewport = usualSize, ...lasting } = options;
  const kind = JSON.stringify(lasting);
  const watched = free.get(kind)?.pop() ?? (await newPage(lasting));
  onTestFinished(async () => {
    if (watched.page.isClosed()) return;
    await cleared(watched);
    free.set(kind, [...(free.get(kind) ?? []), watched]);
  });
  await watched.page.setViewportSize(viewport ?? usualSize); // the test before this one may have changed the size
  await watched.page.emulateMedia({ colorScheme });
  await watched.page.goto(url);
  return watched;
}

async function newPage(options: BrowserContextOptions): Promise<WatchedPage> {
  launched ??= chromium.launch({ executablePath: program, args: flags });
  const context = await (await launched).newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const fetched: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => fetched.push(request.url()));
  return { page, complaints, fetched };
}

async function cleared({ page, complaints, fetched }: WatchedPage): Promise<void> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  blank ??= blankPage();
  await page.goto(await blank); // from here on, nothing of the former page is reported
  await context.clearCookies();
  complaints.length = 0;
  fetched.length = 0;
}

/**
 * Serves an empty page at an address like a gateway's address. Chromium takes both addresses for the same site, so
 * it shows the empty page in the same process as the former page.
 */
function blankPage(): Promise<string> {
  const server = createServer((_, response) => response.end()).unref();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    });
  });
}
