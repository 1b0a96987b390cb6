import { type Load, runLoad } from './run-load.ts';

/**
 * Runs in the process that makes load. It runs one load after another, each when its parent sends one over the IPC
 * channel.
 */
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
