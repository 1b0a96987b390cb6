import { type Load, runLoad } from './run-load.ts';

/**
 * Runs in the process that makes load. The parent process sends each load over the IPC channel, and the loads run one
 * after another.
 */
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
