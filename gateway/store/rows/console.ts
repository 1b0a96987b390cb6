/** A code of the console that was used, or a session that has signed out. */
export interface InvalidatedConsoleCredentialRow {
  id: string;
  /** The time at which the code or session would have expired. */
  until: number;
}
