import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program or file. The folders /usr/sbin and /sbin are searched too, because pcscd is there. */
export function findProgram(name: string): string | undefined {
  const folders = name.startsWith('/')
    ? ['']
    : [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find(exists);
}

function exists(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
