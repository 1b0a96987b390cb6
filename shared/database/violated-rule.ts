/** Gives the name of the schema's rule that a change would have broken, if the database names it. */
export function violatedRule(error: Error): string | undefined {
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined;
}
