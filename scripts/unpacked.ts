import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.ts';

/** Makes the package as it is installed, without its types, in an empty folder: `node scripts/unpacked.ts FOLDER`. */
const root = join(import.meta.dirname, '..');
const [folder = ''] = process.argv.slice(2);
await bundle(join(folder, 'dist'));
for (const file of ['bin', 'package.json']) cpSync(join(root, file), join(folder, file), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
