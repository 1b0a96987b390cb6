import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the path of a folder of the package. The folder is one level above this file's folder in the sources, but two
 * levels above if this file was bundled.
 */
export function findShippedFolder(name: string): string {
  const places = ['..', '../..'].map((up) => join(import.meta.dirname, up, name));
  return places.find((place) => existsSync(place)) ?? (places[0] as string);
}
