#!/usr/bin/env node
// Plain JavaScript on purpose: it must be able to say "your Node is too old" on any Node.
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const source = new URL('../cli/main.ts', import.meta.url);
const isClone = existsSync(source);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`pinpad needs Node 22.18 or newer; this is Node ${process.versions.node}.`);
  const again = ['npm run pinpad --', ...process.argv.slice(2)].join(' ');
  if (isClone) console.error(`A clone brings its own, which npm uses: ${again}`);
  process.exit(1);
}
nodeModule.enableCompileCache?.(); // starting is mostly compiling: the second start takes half as long
const compiled = new URL('../dist/cli/main.js', import.meta.url);
const { main } = await import((isClone ? source : compiled).href);
await main(process.argv);
