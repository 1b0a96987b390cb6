/**
 * npm runs this program in two cases. When npm packs the clone, the program fails, because the clone is never published
 * (docs/decisions/0011). Before the script `pack` it does nothing, because that script packs the published folder.
 */
if (!process.env.npm_command?.startsWith('run')) {
  console.error('This clone is not the package. npm run pack builds the package and packs it.');
  process.exitCode = 2;
}
