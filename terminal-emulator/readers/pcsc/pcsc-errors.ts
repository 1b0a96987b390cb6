import { createConnection } from 'node:net';
import { CardError, ReaderOpenError, TransportClosedError } from '../reader-driver.ts';
import { makeSmartcardLoadError } from './find-smartcard-package.ts';
import { PcscCallError, PcscProcessEndedError } from './pcsc-process.ts';

/** The address at which pcscd listens. It is found in the same way as in pcscd's own library. */
const daemonSocket = () => process.env.PCSCLITE_CSOCK_NAME ?? '/run/pcscd/pcscd.comm';
const byPolkit =
  'polkit refuses a user who logged in by ssh, unless there is a rule for org.debian.pcsc-lite (docs/readers.md)';
const refused = () => new ReaderOpenError('PERMISSION', `the PC/SC service refuses this user: ${byPolkit}`);

/** Says why the service's readers cannot be listed, and what to do. `error` is anything that a call can throw. */
export async function makePcscListError(error: unknown): Promise<Error> {
  if (error instanceof PcscProcessEndedError)
    return new ReaderOpenError(error.late ? 'NO_ANSWER' : 'FAILED', error.message);
  if (!(error instanceof PcscCallError)) return error as Error;
  const { message, code, loading } = error;
  if (loading) return makeSmartcardLoadError(code, message);
  if (/no readers/i.test(message)) return makeNoPcscReaderError();
  if (/service (not running|stopped)/i.test(message)) return whyNoService();
  // Newer daemons answer "security violation", which the package does not know.
  if (/communication error|unknown PC\/SC error/i.test(message)) return refused();
  return new ReaderOpenError('FAILED', `the PC/SC service fails: ${message}`);
}

export function makeNoPcscReaderError(): ReaderOpenError {
  return new ReaderOpenError(
    'NO_PORT',
    'no PC/SC reader is connected: plug a reader in; "pinpad readers" lists the connected readers',
  );
}

/**
 * Finds out why the service does not answer. In each of three cases the library gives the same error: the daemon does
 * not run, the daemon hangs up, or the user is not allowed to use its socket.
 */
async function whyNoService(): Promise<ReaderOpenError> {
  if (process.platform === 'win32')
    return new ReaderOpenError('NO_ANSWER', 'the PC/SC service does not run: start the service "Smart Card"');
  if (process.platform !== 'linux') return new ReaderOpenError('NO_ANSWER', 'the PC/SC service does not run');
  const path = daemonSocket();
  const code = await new Promise<string | undefined>((resolve) => {
    const socket = createConnection(path, () => resolve(undefined));
    socket.on('connect', () => socket.destroy());
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  if (code === 'EACCES' || code === 'EPERM')
    return new ReaderOpenError(
      'PERMISSION',
      `this user may not use ${path}: join its group (ls -l ${path}), then log in again`,
    );
  if (code === 'ENOENT')
    return new ReaderOpenError(
      'NO_ANSWER',
      `the PC/SC service does not run (there is no ${path}): run apt-get install pcscd, and then systemctl start pcscd.socket`,
    );
  if (code === 'ECONNREFUSED')
    return new ReaderOpenError(
      'NO_ANSWER',
      'the PC/SC service stopped: run systemctl restart pcscd.socket pcscd',
    );
  return refused(); // the service listens, but hangs up
}

/** A PC/SC call about a card has failed. Turns its error into an error of the card or of the reader. */
export function makePcscCardError(error: unknown, slot: string): Error {
  if (error instanceof PcscProcessEndedError)
    return error.late === 'transmit' || error.late === 'connect'
      ? new CardError('TIMEOUT', error.message)
      : new TransportClosedError(error.message);
  if (!(error instanceof PcscCallError)) return error as Error;
  const { message } = error;
  if (/sharing violation/i.test(message))
    return new CardError(
      'BAD_READ',
      `another program holds the card in ${slot}: end that program (if it is GnuPG, run gpgconf --kill scdaemon)`,
    );
  // pcscd asks polkit not only about the service but also about each card, and hangs up if polkit refuses.
  if (/communication error|unknown PC\/SC error|service (not running|stopped)/i.test(message))
    return new TransportClosedError(`the PC/SC service hung up: it ended, or ${byPolkit}`);
  if (/service|reader|context|handle/i.test(message)) return new TransportClosedError(message);
  return new CardError(/remov|no smart ?card/i.test(message) ? 'REMOVED' : 'BAD_READ', message);
}
