type Way = 'insert' | 'tap' | 'swipe';

/** A press that moves by fewer pixels than this counts as a click. */
const leastMove = 6;

/**
 * Drags a card with a mouse, a pen or a finger to an element with `data-drop` and `data-terminal`. A finger or pen
 * must start on the card's picture; beside the picture, a finger or pen scrolls the list.
 */
export function startCardDrag(event: PointerEvent, drop: (way: Way, poiId: string) => void): void {
  const source = event.currentTarget as HTMLElement;
  const art = source.querySelector('.art');
  const isTouch = event.pointerType !== 'mouse';
  if (event.button !== 0 || !art || (isTouch && !art.contains(event.target as Node))) return;
  const from = { x: event.clientX, y: event.clientY };
  const listening = new AbortController();
  let ghost: HTMLElement | undefined;
  let over: HTMLElement | null = null;

  const move = ({ clientX, clientY }: PointerEvent) => {
    if (!ghost && Math.hypot(clientX - from.x, clientY - from.y) < leastMove) return;
    ghost ??= lift(art);
    ghost.style.transform = `translate(${clientX}px, ${clientY}px) translate(-50%, -50%)`;
    const target = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-drop]') ?? null;
    if (target !== over) {
      over?.classList.remove('over');
      target?.classList.add('over');
      over = target;
    }
  };
  const end = () => {
    listening.abort();
    over?.classList.remove('over');
    ghost?.remove();
    document.body.classList.remove('carrying');
  };
  const up = () => {
    const { drop: way, terminal } = over?.dataset ?? {};
    const carried = ghost !== undefined;
    end();
    if (!carried) return;
    ignoreClick();
    if (way && terminal) drop(way as Way, terminal);
  };
  const { signal } = listening;
  addEventListener('pointermove', move, { signal });
  addEventListener('pointerup', up, { signal });
  addEventListener('pointercancel', end, { signal });
}

/**
 * Keeps the browser from treating a quick move of a finger as a fling. In Chromium, the first tap after a fling only
 * stops the fling and makes no click, even on a page that cannot scroll.
 */
export function preventFling(move: TouchEvent): void {
  move.preventDefault();
}

/**
 * Ignores the click that ends a drag with a mouse. A drag with a finger ends without a click. So when the next press
 * begins, the function stops waiting for a click.
 */
function ignoreClick(): void {
  const listening = new AbortController();
  const options = { capture: true, once: true, signal: listening.signal };
  addEventListener('click', (click) => click.stopPropagation(), options);
  addEventListener('pointerdown', () => listening.abort(), options);
}

function lift(art: Element): HTMLElement {
  const ghost = art.cloneNode(true) as HTMLElement;
  ghost.classList.add('ghost');
  document.body.classList.add('carrying');
  document.body.append(ghost);
  return ghost;
}
