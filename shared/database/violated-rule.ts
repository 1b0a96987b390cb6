/** The name of the rule of the schema that a change would have broken, where the database gives it. */
export function violatedRule(error: Error): string | undefined {
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined;
}
