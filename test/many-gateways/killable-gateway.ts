import { onTestFinished } from 'vitest';
import { NodeProcess } from '../node-process.ts';
import { type Control, controlling } from './two-gateways.ts';

interface Options {
  database: string;
  nats: string;
  name: string;
  controlToken: string;
}

export interface KillableGateway {
  readonly url: string;
  readonly control: Control;
  /** At once, as in a crash. */
  kill(): Promise<void>;
  /** As Ctrl-C does. */
  stop(): Promise<unknown>;
  /** It stands still, as on a machine that is paused, until {@link goOn}. */
  pause(): void;
  goOn(): void;
}

/** A gateway in a process of its own. */
export async function killableGateway(options: Options): Promise<KillableGateway> {
  const program = 'test/many-gateways/gateway-program.ts';
  const running = await NodeProcess.start<{ url: string }>(program, [JSON.stringify(options)]);
  onTestFinished(() => running.kill());
  const { url } = running.ready;
  return {
    url,
    control: controlling(url, options.controlToken),
    kill: () => running.kill(),
    stop: () => running.stop(),
    pause: () => process.kill(running.pid, 'SIGSTOP'),
    goOn: () => process.kill(running.pid, 'SIGCONT'),
  };
}
