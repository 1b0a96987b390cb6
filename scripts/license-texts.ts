import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the licences of the packages whose code a bundle contains. Each licence requires that users get the text of
 * the licence together with the code.
 */
export function collectLicenseTexts(modules: readonly string[], nodeModules: string): string {
  return findPackageFolders(modules, nodeModules)
    .map(licenseOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the folders of the packages to which these files belong. */
export function findPackageFolders(files: readonly string[], nodeModules: string): string[] {
  return [...new Set(files.flatMap((file) => packageFolder(file, nodeModules) ?? []))].sort();
}

/** Returns the folder of the innermost package to which a file belongs; undefined if the file is pinpad's own. */
function packageFolder(file: string, nodeModules: string): string | undefined {
  if (!file.startsWith(nodeModules)) return undefined;
  return /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : 'The package has no licence file.';
  return `${name} ${version} (${license})\n\n${text}\n`;
}
