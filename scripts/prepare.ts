/**
 * npm runs this after `npm ci` in a clone: bundled, it starts in half the time. Where that fails, or a file has changed
 * since, `bin/pinpad.js` runs the sources. What is to be packed `npm run build` has made.
 */
if (!['pack', 'publish'].includes(process.env.npm_command ?? '')) {
  try {
    const { bundleAnew } = await import('./bundle.ts');
    await bundleAnew();
  } catch (error) {
    console.error(`pinpad is not bundled, and starts from its sources: ${error}`);
  }
}
