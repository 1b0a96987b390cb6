import { spawn } from 'node:child_process';

/**
 * Opens an address with what this system opens addresses with; resolves once that runs.
 *
 * @throws Error if there is none
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
