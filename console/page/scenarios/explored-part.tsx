import { useControlQuery } from '../use-control-query.ts';

const page = '/control/console/explorations/index.html';

/** Shows the matrix of the last exploration on this machine, if there was one. */
export function LastExplorationPart() {
  const { data, again } = useControlQuery<{ exploredAt: string | null }>('/console/explorations');
  return (
    <section class="part" aria-labelledby="explored-title">
      <h2 id="explored-title">Explored</h2>
      {data?.exploredAt ? (
        <>
          <p>
            <a href={page} target="_blank" rel="noopener">
              Every fault at every moment
            </a>{' '}
            <span class="none">{new Date(data.exploredAt).toLocaleString()}</span>
          </p>
          <iframe class="explored" key={data.exploredAt} src={page} title="Every fault at every moment" />
        </>
      ) : (
        <p class="none">
          <code>pinpad explore -- COMMAND</code> runs a sale of your point of sale once for each fault at each
          moment. If you run this command in the folder in which this gateway was started, the report is shown
          here.
        </p>
      )}
      <p>
        <button type="button" onClick={again}>
          Look again
        </button>
      </p>
    </section>
  );
}
