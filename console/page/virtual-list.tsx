import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** How many rows above and below the visible ones are drawn, so that a quick scroll shows no gap. */
const spare = 15;

interface VirtualListProps<Row> {
  readonly rows: readonly Row[];
  /** Draws the given rows. `first` is the index of the first given row in the whole list. */
  readonly draw: (shown: readonly Row[], first: number) => ComponentChildren;
  /** The index of the chosen row, or -1. */
  readonly current: number;
  /**
   * The id of the chosen row. The list scrolls when another row is chosen. It does not scroll when the chosen row
   * only moves to another place.
   */
  readonly currentId: string | undefined;
  /** Whether the list stays scrolled to its end as rows are added. */
  readonly follows?: boolean;
  readonly onFollows?: (follows: boolean) => void;
  /** Called when the end of the list is nearly in view. */
  readonly onEnd?: () => void;
  /** The role and names of the list for assistive technology, and the function that handles pressed keys. */
  readonly box: BoxProps;
}

interface BoxProps {
  readonly role?: 'listbox';
  readonly 'aria-label'?: string;
  readonly 'aria-activedescendant'?: string | undefined;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/**
 * A long list of rows that all have the same height. The height is `--row` in the list's style. The page contains
 * only the rows in view.
 */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { rows, current, currentId, follows = false, box } = props;
  const list = useRef<HTMLDivElement>(null);
  const { top, height, rowHeight, look } = useView(list);
  const first = Math.min(rows.length, Math.max(0, Math.floor(top / rowHeight) - spare));
  const end = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + spare);
  const scrolled = () => {
    const { scrollTop, clientHeight, scrollHeight } = list.current as HTMLDivElement;
    const atEnd = scrollTop + clientHeight >= scrollHeight - rowHeight;
    // New rows may have moved the end of the list out of view. If the list was scrolled to its end before, it continues
    // to follow its end until the user scrolls up.
    props.onFollows?.(atEnd || (follows && scrollTop >= top));
    look();
  };
  useEffect(() => {
    if (top + 2 * height > rows.length * rowHeight) props.onEnd?.();
  }, [top, height, rows.length]);
  useEffect(() => {
    const element = list.current as HTMLDivElement;
    if (follows) element.scrollTop = element.scrollHeight;
  }, [rows, follows]);
  useEffect(() => {
    if (current >= 0) bringIntoView(list.current as HTMLDivElement, current, rowHeight);
  }, [currentId, current >= 0]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: either a listbox, or the box of a table
    <div class="rows" ref={list} tabIndex={0} onScroll={scrolled} {...box}>
      <div style={{ height: `${rows.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}>
        {props.draw(rows.slice(first, end), first)}
      </div>
    </div>
  );
}

/** Returns the part of the list that is in view, and the height of a row. */
function useView(list: RefObject<HTMLDivElement | null>) {
  const [view, setView] = useState({ top: 0, height: 800, rowHeight: 30 });
  const look = () => {
    const element = list.current as HTMLDivElement;
    const rowHeight = Number.parseFloat(getComputedStyle(element).lineHeight);
    setView({ top: element.scrollTop, height: element.clientHeight, rowHeight });
  };
  useLayoutEffect(() => {
    const watcher = new ResizeObserver(look);
    watcher.observe(list.current as HTMLDivElement);
    look();
    return () => watcher.disconnect();
  }, []);
  return { ...view, look };
}

/** Scrolls a row to the middle, unless the row and its neighbours can already be seen below the heading. */
function bringIntoView(element: HTMLElement, index: number, height: number): void {
  const { scrollTop, clientHeight } = element;
  const at = index * height - scrollTop;
  if (at < height || at > clientHeight - 3 * height) element.scrollTop += at - clientHeight / 2;
}
