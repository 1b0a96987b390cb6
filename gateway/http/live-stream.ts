import type { Runtime } from '../../shared/runtime.ts';
import type { Answer, StreamOutput } from './endpoint.ts';

/** The parts of a live stream of server-sent events. */
interface LiveStream {
  /** The comment it begins with. */
  name: string;
  /** Sends what happened before. It waits if the client cannot take all of it at once. */
  history?: (output: StreamOutput, signal: AbortSignal) => Promise<void>;
  /** Begins to send what happens, until its result is called. Nothing is lost between it and `history`. */
  follow: (output: StreamOutput) => () => void;
}

/** Answers with a stream that lasts until its client goes or the gateway stops. */
export function liveStream(
  { clock, timeouts }: Pick<Runtime, 'clock' | 'timeouts'>,
  { name, history, follow }: LiveStream,
): Answer {
  return {
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    stream: async (output, signal) => {
      output.write(`: ${name}\n\n`);
      await history?.(output, signal);
      if (signal.aborted) return;
      const stop = follow(output);
      // A comment now and then keeps proxies from closing a quiet stream. Virtual time has no such proxies, and a
      // timer that always comes back would make every day of it long.
      const beat = () => {
        output.write(': still here\n\n');
        timer = clock.setTimeout(beat, timeouts.heartbeatMs);
      };
      let timer = clock.virtual ? undefined : clock.setTimeout(beat, timeouts.heartbeatMs);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      stop();
      clock.clearTimeout(timer);
    },
  };
}
