import { until } from './until.ts';

/**
 * Returns a function that waits until this thread has as few open servers as now. A command that leaves one of its
 * servers open does not end.
 */
export function noteOpenServers(): () => Promise<void> {
  const before = countOpenServers();
  return () => until('all new servers are closed', () => countOpenServers() <= before);
}

function countOpenServers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length;
}
