import { rebuildDist } from './bundle.ts';
import { makePackageFolder } from './package-folder.ts';

/** Bundles the sources of this clone into dist/, and makes the package (build/package) from dist/. */
makePackageFolder(await rebuildDist());
