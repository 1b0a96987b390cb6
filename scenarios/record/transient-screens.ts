import type { ScreenState } from '../../shared/emulator/screen.ts';

/** The screens that disappear by themselves, sooner on one terminal than on another. */
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
