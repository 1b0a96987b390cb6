import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Clock } from '../../../shared/clock.ts';
import { WedgeRecogniser } from '../../../terminal-emulator/readers/wedge/wedge-recogniser.ts';

interface DeviceKeys {
  readonly clock: Clock;
  /** What wedge readers type around tracks; null where what they type counts as keys. */
  readonly wedge: { readonly prefix: string; readonly suffix: string } | null;
  /** Returns whether the key meant something. */
  readonly onKey: (key: string) => boolean;
  readonly onSwipe: (tracks: string) => void;
}

/** Keys that wedge readers type which print nothing. */
const characters: Record<string, string> = { Enter: '\r', Tab: '\t' };

/**
 * Keys that are typed anywhere on the page, except in a field, go to the terminal in view. What a keyboard-wedge reader
 * types goes nowhere else than to the swipe, also not into a field: it is separated from typing before any other handler runs.
 */
export function useDeviceKeys(given: DeviceKeys): void {
  const latest = useRef(given);
  latest.current = given;
  const { clock, wedge } = given;
  const settings = wedge && `${wedge.prefix}\n${wedge.suffix}`;
  useLayoutEffect(() => {
    const reader = wedge && new KeyReader(clock, wedge, latest);
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (reader?.swallows(event)) return stop(event);
      const target = event.target as Element;
      if (isField(target) || (event.key === 'Enter' && target.matches('button, a, summary'))) return;
      if (latest.current.onKey(event.key)) event.preventDefault();
    };
    addEventListener('keydown', pressed, { capture: true });
    return () => {
      removeEventListener('keydown', pressed, { capture: true });
      reader?.close();
    };
  }, [clock, settings]);
}

/** Sorts keys from swipes; a key that was held back and is none of a swipe's is typed late, where it was meant to go. */
class KeyReader {
  #latest: { readonly current: DeviceKeys };
  #recogniser: WedgeRecogniser;
  /** What came out while a key went in. */
  #passed: string[] | undefined;

  constructor(clock: Clock, settings: { prefix: string; suffix: string }, latest: { current: DeviceKeys }) {
    this.#latest = latest;
    this.#recogniser = new WedgeRecogniser({
      clock,
      settings,
      key: (piece) => (this.#passed ? this.#passed.push(piece) : typeLate(piece, latest.current)),
      swipe: (tracks) => latest.current.onSwipe(tracks),
    });
  }

  /** Whether a key is held back, or part of a swipe; what was held back before and is let go comes first. */
  swallows({ key }: KeyboardEvent): boolean {
    const piece = characters[key] ?? key;
    if ([...piece].length !== 1) return false;
    this.#passed = [];
    this.#recogniser.feed(piece);
    const passed = this.#passed;
    this.#passed = undefined;
    const isOwn = passed.at(-1) === piece;
    for (const late of isOwn ? passed.slice(0, -1) : passed) typeLate(late, this.#latest.current);
    return !isOwn;
  }

  close(): void {
    this.#recogniser.close();
  }
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function isField(element: Element): boolean {
  return element.matches('input:not([type=checkbox], [type=radio], [type=range]), textarea, select');
}

/** Does what the browser would have done with the key. */
function typeLate(piece: string, { onKey }: DeviceKeys): void {
  const field = document.activeElement;
  if (field instanceof HTMLInputElement && isField(field)) {
    if (piece === '\r') return field.form?.requestSubmit();
    if (piece === '\t') return;
    field.setRangeText(piece, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end');
    field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  } else onKey({ '\r': 'Enter', '\t': 'Tab' }[piece] ?? piece);
}
