import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Finds a folder of the package: beside the sources, or one folder further up if this file was compiled. */
export function shippedFolder(name: string): string {
  const places = ['..', '../..'].map((up) => join(import.meta.dirname, up, name));
  return places.find((place) => existsSync(place)) ?? (places[0] as string);
}
