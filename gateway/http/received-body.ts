/** A body as it is worked with, and the JSON text that the journal keeps of it. */
export interface ReceivedBody {
  readonly json: unknown;
  readonly text: string;
  readonly bytes?: number;
  /** The body as it came, if that is not `text`. */
  readonly sent?: string;
}
