import { renderTrace } from './open-trace.tsx';

/** The program of a trace, in a file or live. */
const [data, place] = ['trace', 'app'].map((id) => document.getElementById(id) as HTMLElement);
renderTrace(data?.textContent ?? '', place as HTMLElement);
