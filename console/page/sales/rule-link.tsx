/** A link to the section that explains a rule. The section opens in a new tab, so that the console stays open. */
export function RuleLink({ rule }: { rule: string }) {
  return (
    <a href={`/console/rules.html#${rule}`} target="_blank" rel="noreferrer">
      {rule}
    </a>
  );
}
