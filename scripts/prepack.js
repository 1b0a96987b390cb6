/**
 * npm runs this in two cases. It is refused when npm packs the clone, which is never published (docs/decisions/0011).
 * It is accepted before the script `pack`, which packs the folder that is published.
 */
if (!process.env.npm_command?.startsWith('run')) {
  console.error('This clone is not the package. npm run pack builds the package and packs it.');
  process.exitCode = 2;
}
