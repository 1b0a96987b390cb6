import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Rows above and below the visible ones, so that a quick scroll shows no gap. */
const spare = 15;

/** Which rows of a long list are in the page. All rows have the same height. */
interface RowsInView {
  readonly first: number;
  /** The row after the last. */
  readonly end: number;
  readonly rowHeight: number;
  /** How far the list is scrolled. */
  readonly top: number;
  /** Reads the position again after the list was scrolled. */
  look(): void;
}

/** `onResize` is called once the list has a size, and with every further one. */
export function useRowsInView(list: RefObject<HTMLDivElement | null>, onResize?: () => void): RowsInView {
  const [{ top, height, rowHeight }, setView] = useState({ top: 0, height: 800, rowHeight: 30 });
  const look = () => {
    const element = list.current as HTMLDivElement;
    const line = Number.parseFloat(getComputedStyle(element).lineHeight);
    setView({ top: element.scrollTop, height: element.clientHeight, rowHeight: line });
  };
  useLayoutEffect(() => {
    const watcher = new ResizeObserver(() => {
      look();
      onResize?.();
    });
    watcher.observe(list.current as HTMLDivElement);
    look();
    return () => watcher.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const end = Math.ceil((top + height) / rowHeight) + spare;
  return { first, end, rowHeight, top, look };
}
