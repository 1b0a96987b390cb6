import { rebuildDist } from './bundle.ts';
import { makePackageFolder } from './package-folder.ts';

/** Bundles the clone into dist/, and makes the package from dist/ (build/package). */
makePackageFolder(await rebuildDist());
