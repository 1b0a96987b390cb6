import { type MessagePort, parentPort } from 'node:worker_threads';
import { StartError } from '../start-error.ts';
import type { JobAnswer, SentJob } from './job-thread.ts';

interface JobServer<Job, Result> {
  /** Runs a job. The result must be plain data, because it is sent to another thread. */
  run(job: Job, worker: number): Promise<Result>;
  /** Ends the running jobs early. */
  stop?(): void;
  /** Called when no further job will come. */
  close?(): Promise<void>;
}

/** Runs the jobs that a JobThread sends to this thread, until the JobThread is closed. */
export function serveJobs<Job, Result>({ run, stop, close }: JobServer<Job, Result>): void {
  const port = parentPort as MessagePort;
  const answerTo = async ({ id, job, worker }: SentJob<Job>): Promise<JobAnswer<Result>> => {
    try {
      return { id, result: await run(job, worker) };
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      return { id, problem: { message, stack, isStartError: error instanceof StartError } };
    }
  };
  const end = async () => {
    await close?.();
    port.close();
  };
  port.on('message', (said: SentJob<Job> | 'stop' | 'close') => {
    if (said === 'close') void end();
    else if (said === 'stop') stop?.();
    else void answerTo(said).then((answer) => port.postMessage(answer));
  });
  port.postMessage('ready');
}
