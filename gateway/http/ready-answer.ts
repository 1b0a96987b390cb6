import type { Answer } from './endpoint.ts';

/** An answer that is ready to be sent. */
export interface ReadyAnswer {
  readonly answer: Answer;
  readonly text: string;
}

/** Receives the answer instead of the client. The client gets the answer only if this function sends it. */
export type AnswerReceiver = (sent: ReadyAnswer) => void | Promise<void>;
