import type { Runtime } from '../../shared/runtime.ts';
import type { Answer, StreamWriter } from './endpoint.ts';

/** The parts of a live stream of server-sent events. */
interface LiveStream {
  /** The comment at the beginning of the stream. */
  name: string;
  /**
   * Sends what happened before the stream began. If the client reads slowly, this waits until the client has read the
   * sent data.
   */
  history?: (output: StreamWriter, signal: AbortSignal) => Promise<void>;
  /**
   * From now on, sends everything that happens, until the returned function is called. Nothing is lost between
   * `history` and `follow`.
   */
  follow: (output: StreamWriter) => () => void;
}

/** Makes an answer that is a stream. The stream ends when the client disconnects or the gateway stops. */
export function makeLiveStreamAnswer(
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
      // Proxies close a quiet stream. So a comment is sent at intervals. In virtual time no comments are sent. With
      // virtual time there are no such proxies, and a timer that is set again and again would slow down each day of
      // virtual time.
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
