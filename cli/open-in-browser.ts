import { spawn } from 'node:child_process';

/**
 * Opens an address in the browser that the system uses by default; resolves once the system's program for this has
 * started.
 *
 * @throws Error if the system has no such program
 */
export function openInBrowser(url: string): Promise<void> {
  const openers: Partial<Record<NodeJS.Platform, string[]>> = {
    darwin: ['open', url],
    win32: ['cmd', '/c', 'start', '', url],
  };
  const [program = '', ...args] = openers[process.platform] ?? ['xdg-open', url];
  const opener = spawn(program, args, { stdio: 'ignore', detached: true });
  opener.unref();
  return new Promise((resolve, reject) => {
    opener.on('spawn', resolve);
    opener.on('error', (error) => reject(new Error(`no browser was opened: ${error.message}`)));
  });
}
