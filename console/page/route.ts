import { useEffect, useState } from 'preact/hooks';

/** The panes of the console in their order, with the titles of their links. */
export const paneTitles = {
  terminals: 'Terminals',
  sales: 'Sales',
  traffic: 'Traffic',
  records: 'Payments',
  trouble: 'What goes wrong',
  scenarios: 'Scenarios',
} as const;
export type Pane = keyof typeof paneTitles;

interface Route {
  readonly pane: Pane;
  /** The parameters in the page's address. They say what the pane should show, such as a payment. */
  readonly asked: Readonly<Record<string, string>>;
}

/** Returns the address of a pane, such as `#traffic?payment=…`. */
export function linkTo(pane: Pane, asked: Record<string, string> = {}): string {
  const query = new URLSearchParams(asked).toString();
  return `#${pane}${query && `?${query}`}`;
}

function currentRoute(): Route {
  const [name = '', query = ''] = location.hash.slice(1).split('?');
  const pane = Object.hasOwn(paneTitles, name) ? (name as Pane) : 'terminals';
  return { pane, asked: Object.fromEntries(new URLSearchParams(query)) };
}

/**
 * Returns the pane that the page's address names. When the address changes, for example by the browser's Back button,
 * the new pane is returned.
 */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const changed = () => setRoute(currentRoute());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}
