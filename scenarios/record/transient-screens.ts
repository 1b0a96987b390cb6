import type { ScreenState } from '../../shared/emulator/screen.ts';

/** The screens that disappear after some time without an action. This time is not the same on all terminals. */
export const transientScreens: readonly ScreenState[] = [
  'starting',
  'readingCard',
  'authorizing',
  'approved',
  'declined',
  'cancelled',
  'printing',
  'cardUnreadable',
  'cardNotAccepted',
  'pinWrong',
];
