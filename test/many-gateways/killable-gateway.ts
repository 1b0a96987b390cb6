import { onTestFinished } from 'vitest';
import { NodeProcess } from '../node-process.ts';
import { type ControlCall, makeControlCall } from './two-gateways.ts';

interface Options {
  database: string;
  nats: string;
  name: string;
  controlToken: string;
}

export interface KillableGateway {
  readonly url: string;
  readonly control: ControlCall;
  /** Kills the process at once, as in a crash. */
  kill(): Promise<void>;
  /** Ends the process as Ctrl-C does. */
  stop(): Promise<unknown>;
  /** Pauses the process, as if its machine were paused, until {@link goOn} is called. */
  pause(): void;
  goOn(): void;
}

/** Starts a gateway in a process of its own. */
export async function killableGateway(options: Options): Promise<KillableGateway> {
  const program = 'test/many-gateways/gateway-program.ts';
  const running = await NodeProcess.start<{ url: string }>(program, [JSON.stringify(options)]);
  onTestFinished(() => running.kill());
  const { url } = running.ready;
  return {
    url,
    control: makeControlCall(url, options.controlToken),
    kill: () => running.kill(),
    stop: () => running.stop(),
    pause: () => process.kill(running.pid, 'SIGSTOP'),
    goOn: () => process.kill(running.pid, 'SIGCONT'),
  };
}
