import { statSync } from 'node:fs';
import { join } from 'node:path';
import { packOffline } from './offline-archive.ts';

/** Packs the archive for an install without a network. `npm run pack:offline` builds the package first. */
const root = join(import.meta.dirname, '..');
const archive = packOffline(root);
console.log(`${archive}: ${(statSync(join(root, archive)).size / 1e6).toFixed(1)} MB`);
