// Plain JavaScript on purpose: without what a clone brings, this runs on whichever Node is there.
import { existsSync } from 'node:fs';

/**
 * npm runs this after `npm ci` in a clone: bundled, it starts in half the time. Where that fails, or a file has changed
 * since, `bin/pinpad.js` runs the sources, as it does where npm left out what bundles them.
 */
if (existsSync(new URL('../node_modules/rolldown', import.meta.url))) await bundle();
else
  console.error(
    'pinpad: without the development dependencies this clone runs from its sources, and has neither the bundle nor the ' +
      'pages of console and traces: npm ci --include=dev',
  );

async function bundle() {
  try {
    const { bundleAnew } = await import('./bundle.ts');
    await bundleAnew();
  } catch (error) {
    console.error(`pinpad is not bundled, and starts from its sources: ${error}`);
  }
}
