import { render } from 'preact';
import { systemClock } from '../../shared/clock.ts';
import { ConsoleStore } from './console-store.ts';
import { Shell } from './shell.tsx';
import { reloadOnNewLink, signInByLink } from './sign-in.tsx';
import { StoreContext } from './use-store.ts';

/** The program of the console. */
reloadOnNewLink();
void signInByLink().then(() => {
  const store = new ConsoleStore(systemClock);
  render(
    <StoreContext value={store}>
      <Shell />
    </StoreContext>,
    document.getElementById('app') as HTMLElement,
  );
  store.open();
});
