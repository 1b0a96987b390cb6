import { useLayoutEffect } from 'preact/hooks';

/**
 * Makes keys work anywhere on the page: calls the function that belongs to a pressed key. While the user types in a
 * field, only Escape calls its function. Enter on a button or link presses the button or link, and calls no function.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as Element;
    const typing = target.matches('input, select, textarea, pre');
    if (typing && event.key !== 'Escape') return;
    if (event.key === 'Enter' && target.matches('button, a, summary')) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  useLayoutEffect(() => {
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  });
}
