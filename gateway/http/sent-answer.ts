import type { Answer } from './endpoint.ts';

/** An answer that was about to be sent. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly text: string;
}

/** Gets the answer, which is not sent unless this function sends it. */
export type Answering = (sent: SentAnswer) => void | Promise<void>;
