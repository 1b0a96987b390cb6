/** A code of the console that was used, or a session that was signed out of. */
export interface ConsoleEndedRow {
  id: string;
  /** It would have ended then by itself. */
  until: number;
}
