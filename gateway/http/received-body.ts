/** A body as handlers use it, and its JSON text for the journal. */
export interface ReceivedBody {
  readonly json: unknown;
  readonly text: string;
  readonly bytes?: number;
  /** The body as it came, if it differs from `text`. */
  readonly sent?: string;
}
