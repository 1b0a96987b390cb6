import type { Answer } from './endpoint.ts';

/** An answer that is ready to be sent. */
export interface ReadyAnswer {
  readonly answer: Answer;
  readonly text: string;
}

/** Receives the answer. The answer is sent only if this function sends it. */
export type AnswerReceiver = (sent: ReadyAnswer) => void | Promise<void>;
