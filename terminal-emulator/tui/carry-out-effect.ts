import type { TuiEffect } from './effect.ts';
import type { TuiSource } from './source.ts';
import type { Notice, TuiState } from './state.ts';

/** The parts of the text UI that an effect can change. */
interface EffectScreen {
  end(): void;
  notify(notice: Notice): void;
  /** Reads again the data that the text UI shows. Called after a change that the `TuiSource` does not report. */
  refresh(): void;
  change(changes: Partial<TuiState>): void;
}

/** Carries out the effect of a command, for example an action at a terminal. Shows the result on the screen. */
export function carryOutEffect(source: TuiSource, effect: TuiEffect, screen: EffectScreen): void {
  switch (effect.effect) {
    case 'quit':
      return screen.end();
    case 'act':
      return notifyRefusal(screen, source.act(effect.poiId, effect.action));
    case 'keyIn':
      return notifyRefusal(screen, source.keyIn(effect.poiId, effect.card));
    case 'shopper':
      return notifyRefusal(screen, source.setShopper(effect.poiId, effect.shopper));
    case 'record':
      return record(source, screen);
    case 'trouble':
      return settle(screen, source.setTrouble?.(effect.poiId, effect.id, effect.mode, effect.after));
    case 'explain':
      return explain(source, effect.paymentId, screen);
    case 'console':
      return screen.change({ consoleLink: source.consoleLink?.() });
    case 'browse':
      return browse(source, effect.link, screen);
    case 'sale':
      return sell(source, effect, screen);
  }
}

export function notifyRefusal(
  { notify }: Pick<EffectScreen, 'notify'>,
  refusal: { message: string } | undefined,
): void {
  if (refusal) notify({ tone: 'error', text: refusal.message, passing: true });
}

function sell(
  source: TuiSource,
  { poiId, amount, tip }: Extract<TuiEffect, { effect: 'sale' }>,
  screen: EffectScreen,
): void {
  let recovered = false;
  const onRecovery = (line: string) => {
    recovered = true;
    screen.notify({ tone: 'error', text: line });
  };
  source.sale(poiId, amount, { tip, onRecovery }).then(
    () => {
      const text = 'The repeated request was answered, and the customer paid only once';
      if (recovered) screen.notify({ tone: 'success', text });
    },
    (error: unknown) => screen.notify({ tone: 'error', text: `Sale on ${poiId}: ${messageOf(error)}` }),
  );
}

function record(source: TuiSource, screen: EffectScreen): void {
  const done =
    source.recorder?.toggle() ??
    Promise.resolve('Recording does not work from this screen: use "pinpad record"');
  settle(
    screen,
    done.then((text) => screen.notify({ tone: 'success', text })),
  );
}

/** Opens the link in the browser. If that succeeds, closes the page that shows the link. */
function browse(source: TuiSource, link: string, screen: EffectScreen): void {
  settle(
    screen,
    source.browse?.(link).then(() => screen.change({ overlay: undefined })),
  );
}

function explain(source: TuiSource, id: string, screen: EffectScreen): void {
  source.explain?.(id).then(
    (account) => screen.change({ explained: { id, account } }),
    (error: unknown) => screen.change({ explained: { id, fault: messageOf(error) } }),
  );
}

function settle(screen: EffectScreen, done: Promise<void> | undefined): void {
  done?.then(
    () => screen.refresh(),
    (error: unknown) => screen.notify({ tone: 'error', text: messageOf(error) }),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
