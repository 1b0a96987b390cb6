/** A body in the form that handlers use, and its JSON text for the journal. */
export interface ReceivedBody {
  readonly json: unknown;
  readonly text: string;
  readonly bytes?: number;
  /** The body as it came, if that is not `text`. */
  readonly sent?: string;
}
