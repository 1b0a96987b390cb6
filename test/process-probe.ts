/** Loaded with `--import` into a process that is measured from outside; answers over the IPC channel. */

process.on('message', (question) => {
  if (question !== 'cpu' && question !== 'memory') return;
  const { user, system } = process.cpuUsage();
  if (question === 'memory') {
    globalThis.gc?.();
    globalThis.gc?.();
  }
  process.send?.({ cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit(1)); // whoever measured is gone
process.channel?.unref(); // listening alone must not keep the process alive
