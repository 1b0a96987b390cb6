/** A code of the console that was used, or a session that was signed out. */
export interface ConsoleEndedRow {
  id: string;
  /** When the code or session would have ended by itself. */
  until: number;
}
