import { TableHead } from '../table-head.tsx';
import type { TracedFailure } from './trace-data.ts';

/** Shows the failing step, with the expected and the actual values. */
export function FailurePanel({ failure, onShow }: { failure: TracedFailure; onShow: () => void }) {
  const { place, step, differences, lines, saw, scene } = failure;
  return (
    <section class="failure" aria-labelledby="failed">
      <h2 id="failed">Failed at {place}</h2>
      <pre>{step}</pre>
      {differences.length > 0 && (
        <table>
          <TableHead titles={['Where', 'Expected', 'Actual']} />
          <tbody>
            {differences.map(({ path, expected, actual }) => (
              <tr key={path}>
                <td>{path}</td>
                <td class="expected">{expected}</td>
                <td class="actual">{actual}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {lines.map((line, index) => (
        <p key={index}>{line}</p>
      ))}
      {saw.length > 0 && (
        <details open={differences.length === 0}>
          <summary>All that was seen</summary>
          {saw.map((line, index) => (
            <pre key={index}>{line}</pre>
          ))}
        </details>
      )}
      {scene.length > 0 && (
        <details>
          <summary>The state when the step failed</summary>
          <ul>
            {scene.map((line, index) => (
              <li key={index}>{line}</li>
            ))}
          </ul>
        </details>
      )}
      <p>
        <button type="button" onClick={onShow}>
          Show the failing step in the trace
        </button>
      </p>
    </section>
  );
}
