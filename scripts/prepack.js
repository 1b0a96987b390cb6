/**
 * npm runs this program in two cases. Before npm packs the clone, the program fails, because the clone is never
 * published (docs/decisions/0011). Before `npm run pack`, the program does nothing, because that script packs the
 * published folder.
 */
if (!process.env.npm_command?.startsWith('run')) {
  console.error(
    'This clone of the repository is not the package. Run "npm run pack" to build the package and pack it.',
  );
  process.exitCode = 2;
}
