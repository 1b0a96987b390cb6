import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useRowsInView } from '../rows-in-view.ts';

interface VirtualListProps<Row> {
  readonly rows: readonly Row[];
  /** Draws a row. Its height is `--row` in the style sheet. */
  readonly draw: (row: Row, index: number) => ComponentChildren;
  /** The row that must be in view, or -1. If it changes, the list scrolls to it. */
  readonly current: number;
  /** Whether the list follows its end as rows are added. */
  readonly follows: boolean;
  readonly onFollows: (follows: boolean) => void;
  readonly label: string;
  readonly active: string | undefined;
}

/** A long list of rows of one height. Only the rows in view are in the page. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { rows, current, follows } = props;
  const list = useRef<HTMLDivElement>(null);
  const { first, end, rowHeight, top, look } = useRowsInView(list);
  const scrolled = () => {
    const { scrollTop, clientHeight, scrollHeight } = list.current as HTMLDivElement;
    const atEnd = scrollTop + clientHeight >= scrollHeight - rowHeight;
    // Rows that were added since the list was scrolled to its end have moved the end. So it stops following only if the
    // user scrolls up.
    props.onFollows(atEnd || (follows && scrollTop >= top));
    look();
  };
  useEffect(() => {
    const element = list.current as HTMLDivElement;
    if (follows) element.scrollTop = element.scrollHeight;
  }, [rows, follows]);
  useEffect(() => {
    if (current >= 0) bringIntoView(list.current as HTMLDivElement, current, rowHeight);
  }, [current]);
  return (
    <div
      class="rows"
      ref={list}
      role="listbox"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={props.active}
      onScroll={scrolled}
    >
      <div class="rows-all" style={{ height: `${rows.length * rowHeight}px` }}>
        <div class="rows-shown" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows.slice(first, end).map((row, index) => props.draw(row, first + index))}
        </div>
      </div>
    </div>
  );
}

function bringIntoView(element: HTMLElement, index: number, height: number): void {
  const top = index * height;
  const { scrollTop, clientHeight } = element;
  if (top < scrollTop + height || top > scrollTop + clientHeight - 3 * height)
    element.scrollTop = top - clientHeight / 2;
}
