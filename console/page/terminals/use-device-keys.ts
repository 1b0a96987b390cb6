import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Clock } from '../../../shared/clock.ts';
import { type KeyAndSwipeHandlers, KeyAndSwipeReader, type WedgeAffixes } from './key-reader.ts';
import { isField, pressesElement } from './late-keys.ts';

interface DeviceKeys extends KeyAndSwipeHandlers {
  readonly clock: Clock;
  /**
   * The text that wedge readers type before and after the tracks. If null, the characters from wedge readers count as
   * ordinary keys.
   */
  readonly wedge: WedgeAffixes | null;
}

/**
 * Keys that have an effect only together with another key. Card readers press Shift, and on some keyboard layouts `=`
 * is an accent key.
 */
const silent = new Set(['Shift', 'CapsLock', 'Control', 'Alt', 'AltGraph', 'Meta', 'Dead', 'Process']);

/**
 * Sends keys that are typed anywhere on the page, except in a field, to the terminal in view. The characters of a
 * keyboard-wedge reader become a swipe. These characters never reach a field, because this handler runs before every
 * other handler.
 */
export function useDeviceKeys(given: DeviceKeys): void {
  const latest = useRef(given);
  latest.current = given;
  const { clock, wedge } = given;
  const settings = wedge && `${wedge.prefix}\n${wedge.suffix}`;
  useLayoutEffect(() => {
    const reader = wedge ? new KeyAndSwipeReader(clock, wedge, latest) : undefined;
    /** The key that causes the next inserted character. */
    let inserting = '';
    const pressed = (event: KeyboardEvent) => {
      if (reader?.typesLate || event.isComposing) return;
      if (silent.has(event.key)) return reader?.swiping ? stop(event) : undefined;
      if (event.ctrlKey || event.metaKey || event.altKey) return reader?.settle();
      inserting = '';
      if (reader?.swallows(event)) return stop(event);
      inserting = event.key;
      const target = event.target as Element;
      if (isField(target) || pressesElement(target, event.key)) return;
      if (latest.current.onKey(event.key)) event.preventDefault();
    };
    const inserted = (event: InputEvent) => {
      const isOfKey = event.data === inserting;
      inserting = '';
      if (!isOfKey && !reader?.typesLate && reader?.swallowsInserted(event)) stop(event);
    };
    // The keys that are held back must be typed before a click or a paste takes effect.
    const settle = () => reader?.settle();
    const listening = new AbortController();
    const options = { capture: true, signal: listening.signal };
    addEventListener('keydown', pressed, options);
    addEventListener('beforeinput', inserted, options);
    addEventListener('pointerdown', settle, options);
    addEventListener('paste', settle, options);
    return () => {
      listening.abort();
      reader?.close();
    };
  }, [clock, settings]);
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}
