import { linkTo } from '../route.ts';
import type { TracedFinding } from '../trace/trace-data.ts';
import { useControlQuery } from '../use-control-query.ts';
import { RuleLink } from './rule-link.tsx';

/**
 * Shows mistakes in requests that belong to no sale, such as a request with an unknown token. The list of sales
 * cannot show these mistakes (B255).
 */
export function StrayFindings() {
  const { data } = useControlQuery<{ findings: TracedFinding[] }>('/findings?withoutSale=true', /^http\./);
  const { findings = [] } = data ?? {};
  if (findings.length === 0) return null;
  return (
    <ul class="stray-findings" aria-label="Requests of no sale">
      {findings.map(({ rule, what, fix, count, entries: [first] }) => (
        <li key={what}>
          <span class="found-wrong">⚠ </span>
          {first === undefined ? what : <a href={linkTo('traffic', { seq: String(first) })}>{what}</a>}
          {count > 1 && ` (${count} times)`}
          <span class="why-wrong">
            <RuleLink rule={rule} />: {fix}
          </span>
        </li>
      ))}
    </ul>
  );
}
