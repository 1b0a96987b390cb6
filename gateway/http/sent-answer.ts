import type { Answer } from './endpoint.ts';

/** An answer that is ready to be sent. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly text: string;
}

/** Receives the answer. The answer is sent only if this function sends it. */
export type Answering = (sent: SentAnswer) => void | Promise<void>;
