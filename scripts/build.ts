import { bundleAnew } from './bundle.ts';
import { makePackageFolder } from './package-folder.ts';

/** Bundles the clone (dist/), and makes the package of it (build/package). */
makePackageFolder(await bundleAnew());
