import { StartError } from './start-error.ts';

/** Makes the error that says why a server cannot listen at this address, and what to do. */
export function makeCannotListenError(error: NodeJS.ErrnoException, host: string, port: number): StartError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is taken; choose another port, or 0 for any free port`,
    EACCES: `port ${port} on ${host} needs more rights than this user has`,
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
    ENOTFOUND: `${host} is not a host name that can be found`,
  };
  return new StartError(reasons[error.code ?? ''] ?? `cannot listen on ${host}:${port}: ${error.message}`);
}
