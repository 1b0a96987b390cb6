import type { OutcomeRules } from '../../../client/openapi-types.ts';
import { TableHead } from '../table-head.tsx';

/**
 * Explains how the host decides if a test has not set the host's decision: the order of the rules, and the amounts
 * that cause a refusal.
 */
export function MagicAmounts({ rules }: { rules: OutcomeRules | undefined }) {
  if (!rules) return null;
  return (
    <div class="cards">
      <section class="trouble-card" aria-labelledby="magic-title">
        <h2 id="magic-title">Magic amounts</h2>
        <p class="none">
          The last three digits of the amount in cents choose the refusal. You can switch this off for an
          account or a terminal.
        </p>
        <div class="magic">
          <table>
            <TableHead titles={['Amount', 'Refusal', 'Message']} />
            <tbody>
              {rules.amountEndings.map(({ ending, refusalReason, message }) => (
                <tr key={ending}>
                  <td class="ending">
                    …{ending.slice(0, -2)}.{ending.slice(-2)}
                  </td>
                  <td>{refusalReason}</td>
                  <td>
                    <code>{message}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <section class="trouble-card" aria-labelledby="order-title">
        <h2 id="order-title">Who decides</h2>
        <p class="none">The outcome comes from the first of these rules that applies.</p>
        <ol class="order">
          {rules.order.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ol>
      </section>
    </div>
  );
}
