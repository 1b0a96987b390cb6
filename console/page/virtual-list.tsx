import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows above and below those in view, so that a quick scroll shows no hole. */
const spare = 15;

interface VirtualListProps<Row> {
  readonly rows: readonly Row[];
  /** Draws the rows that are in the page, of which the first is the list's row at that place. */
  readonly draw: (shown: readonly Row[], first: number) => ComponentChildren;
  /** The place of the row that is chosen, -1 for none. */
  readonly current: number;
  /** The row that is chosen: another one is brought into view, and one that only moves is not. */
  readonly currentId: string | undefined;
  /** Whether the end is followed as rows come. */
  readonly follows?: boolean;
  readonly onFollows?: (follows: boolean) => void;
  /** The end of the list is nearly in view. */
  readonly onEnd?: () => void;
  /** Its role and names for assistive technology, and its keys. */
  readonly box: BoxProps;
}

interface BoxProps {
  readonly role?: 'listbox';
  readonly label?: string;
  readonly active?: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** A long list of rows of one height (its line's: `--row`), of which only those in view are in the page. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { rows, current, currentId, follows = false, box } = props;
  const list = useRef<HTMLDivElement>(null);
  const { top, height, rowHeight, look } = useView(list);
  const first = Math.min(rows.length, Math.max(0, Math.floor(top / rowHeight) - spare));
  const end = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + spare);
  const scrolled = () => {
    const { scrollTop, clientHeight, scrollHeight } = list.current as HTMLDivElement;
    const atEnd = scrollTop + clientHeight >= scrollHeight - rowHeight;
    // Rows that came since it was scrolled to the end have moved the end: only who scrolls up no longer follows it.
    props.onFollows?.(atEnd || (follows && scrollTop >= top));
    look();
  };
  useEffect(() => {
    const { scrollTop, clientHeight, scrollHeight } = list.current as HTMLDivElement;
    if (scrollTop + 2 * clientHeight > scrollHeight) props.onEnd?.();
  }, [top, height, rows.length]);
  useEffect(() => {
    const element = list.current as HTMLDivElement;
    if (follows) element.scrollTop = element.scrollHeight;
  }, [rows, follows]);
  useEffect(() => {
    if (current >= 0) bringIntoView(list.current as HTMLDivElement, current, rowHeight);
  }, [currentId, current >= 0]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useAriaPropsSupportedByRole: either a listbox, or the box of a table
    <div
      class="rows"
      ref={list}
      role={box.role}
      tabIndex={0}
      aria-label={box.label}
      aria-activedescendant={box.active}
      onScroll={scrolled}
      onKeyDown={box.onKeyDown}
    >
      <div style={{ height: `${rows.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}>
        {props.draw(rows.slice(first, end), first)}
      </div>
    </div>
  );
}

/** Gives the part of the list that is in view, and the height of a row. */
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

/** Scrolls as little as shows the row with its neighbours and a heading; to the middle where it is far away. */
function bringIntoView(element: HTMLElement, index: number, height: number): void {
  const { scrollTop, clientHeight } = element;
  const highest = (index - 1) * height;
  const lowest = (index + 3) * height - clientHeight;
  const nearest = Math.min(Math.max(scrollTop, lowest), highest);
  const isFar = Math.abs(nearest - scrollTop) > clientHeight;
  element.scrollTop = isFar ? index * height - clientHeight / 2 : nearest;
}
