import { z } from 'zod';

/** An id that a user chooses. The id becomes a part of paths, so `..` in it would be dangerous. */
export const userChosenIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, . _ or -');
