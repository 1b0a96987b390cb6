import { type LoadOptions, runLoad } from './run-load.ts';

/**
 * Runs in the process that makes load. The parent process describes each load in a message over the IPC channel. The
 * loads run one after another.
 */
process.on('message', (load: LoadOptions) => {
  runLoad(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
