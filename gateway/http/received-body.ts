/** A body as it is worked with, and the JSON text that the journal keeps of it. */
export interface ReceivedBody {
  readonly json: unknown;
  readonly text: string;
  readonly bytes?: number;
  /** As it came, where that is not `text`. */
  readonly sent?: string;
}
