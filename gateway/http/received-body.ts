/** A body in the form in which handlers use it, and its JSON text for the journal. */
export interface ReceivedBody {
  readonly json: unknown;
  readonly text: string;
  readonly bytes?: number;
  /** The body as the client sent it, if that differs from `text`. */
  readonly sent?: string;
}
