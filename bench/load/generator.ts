import { type Load, runLoad } from './run-load.ts';

/** The process that makes load. It runs one load after another, as its parent asks over the IPC channel. */
process.on('message', (load: Load) => {
  runLoad(load).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
