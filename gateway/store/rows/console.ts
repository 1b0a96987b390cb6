/** A sign-in code that was used, or a session of the console whose user has signed out. */
export interface InvalidatedConsoleCredentialRow {
  id: string;
  /** The time at which the code or session would have expired. */
  until: number;
}
