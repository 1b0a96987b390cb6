/** Leads to the section that explains a rule; in a tab of its own, since the console stays signed in to what it shows. */
export function RuleLink({ rule }: { rule: string }) {
  return (
    <a href={`/console/rules.html#${rule}`} target="_blank" rel="noreferrer">
      {rule}
    </a>
  );
}
