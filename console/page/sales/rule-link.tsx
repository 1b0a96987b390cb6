/** A link to the section that explains a rule. It opens a tab of its own, so that the console stays as it is. */
export function RuleLink({ rule }: { rule: string }) {
  return (
    <a href={`/console/rules.html#${rule}`} target="_blank" rel="noreferrer">
      {rule}
    </a>
  );
}
