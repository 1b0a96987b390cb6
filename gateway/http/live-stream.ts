import type { Runtime } from '../../shared/runtime.ts';
import type { Answer, StreamOutput } from './endpoint.ts';

/** The parts of a live stream of server-sent events. */
interface LiveStream {
  /** The comment at the beginning of the stream. */
  name: string;
  /** Sends what happened before the stream began. It waits whenever the client reads more slowly than it sends. */
  history?: (output: StreamOutput, signal: AbortSignal) => Promise<void>;
  /**
   * Sends what happens from now on, until the returned function is called. Nothing is missed between `history` and
   * `follow`.
   */
  follow: (output: StreamOutput) => () => void;
}

/** Makes an answer that is a stream. It lasts until its client disconnects or the gateway stops. */
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
      // A comment at intervals keeps proxies from closing a quiet stream. In virtual time no comments are sent: there
      // are no such proxies, and a timer that always comes back would make each day of virtual time slow.
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
