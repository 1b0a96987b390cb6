/**
 * Gives the name of the rule in the schema that a change would have broken; undefined if the database does not name the
 * rule.
 */
export function findViolatedConstraint(error: Error): string | undefined {
  return 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : undefined;
}
