import { z } from 'zod';

const affix = z
  .string()
  .max(16)
  .regex(/^[ -~\t\r\n]*$/, 'must have only characters that a keyboard can type: ASCII, \\t, \\r, \\n')
  .regex(/^[^%;+!]*$/, 'must not contain % ; + or !, because these characters begin a track')
  .default('');

/**
 * The characters that a keyboard-wedge reader types before and after its tracks, apart from Enter (configuration
 * `readers.wedge`).
 */
export const wedgeSettingsSchema = z.strictObject({
  prefix: affix.describe('the text that the reader types before all tracks, or before each track'),
  suffix: affix.describe('the text that the reader types after all tracks, or after each track'),
});
export type WedgeSettings = z.infer<typeof wedgeSettingsSchema>;
