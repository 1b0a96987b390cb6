import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileCacheFolder } from '../../bin/clone-bundle.js';

/**
 * Runs a bundle before it is noted as the latest bundle: `node run-bundle.ts FOLDER COMMAND…`. This process ends when
 * its standard input ends, because its parent process may be killed.
 */
const [folder = ''] = process.argv.splice(2, 1);
process.stdin
  .once('close', () => process.kill(process.pid, 'SIGKILL'))
  .resume()
  .unref();
enableCompileCache(process.env.NODE_COMPILE_CACHE || join(folder, compileCacheFolder));
const { main } = await import(pathToFileURL(join(folder, 'cli/main.js')).href);
await main(process.argv);
