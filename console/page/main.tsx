import { render } from 'preact';
import { systemClock } from '../../shared/clock.ts';
import { ConsoleStore } from './console-store.ts';
import { Shell } from './shell.tsx';
import { beginAnewByLink, signInByLink } from './sign-in.tsx';

/** The program of the console. */
beginAnewByLink();
void signInByLink().then(() => {
  const store = new ConsoleStore(systemClock);
  render(<Shell store={store} />, document.getElementById('app') as HTMLElement);
  store.open();
});
