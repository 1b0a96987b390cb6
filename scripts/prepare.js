// Plain JavaScript on purpose: without what a clone brings, this runs on whichever Node is there.
import { existsSync } from 'node:fs';

/**
 * npm runs this after `npm ci` in a clone: bundled, it starts in half the time. Where that fails, or a file has changed
 * since, `bin/pinpad.js` runs the sources. What is to be packed `npm run build` has made.
 */
if (!['pack', 'publish'].includes(process.env.npm_command ?? '')) {
  if (existsSync(new URL('../node_modules/rolldown', import.meta.url))) await bundle();
  else {
    console.error(
      'pinpad: a clone runs on its development dependencies, and npm left them out (NODE_ENV=production or --omit=dev): ' +
        'run npm ci --include=dev',
    );
    process.exitCode = 1;
  }
}

async function bundle() {
  try {
    const { bundleAnew } = await import('./bundle.ts');
    await bundleAnew();
  } catch (error) {
    console.error(`pinpad is not bundled, and starts from its sources: ${error}`);
  }
}
