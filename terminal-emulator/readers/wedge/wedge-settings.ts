import { z } from 'zod';

const affix = z
  .string()
  .max(16)
  .regex(/^[ -~\t\r\n]*$/, 'must be what a keyboard can type: ASCII, \\t, \\r, \\n')
  .regex(/^[^%;+!]*$/, 'must have none of % ; + !, because these begin a track')
  .default('');

/**
 * The characters that a keyboard-wedge reader types before and after its tracks, apart from Enter (configuration
 * `readers.wedge`).
 */
export const wedgeSettings = z.strictObject({
  prefix: affix.describe('typed before the tracks, or before each'),
  suffix: affix.describe('typed after the tracks, or after each'),
});
export type WedgeSettings = z.infer<typeof wedgeSettings>;
