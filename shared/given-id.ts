import { z } from 'zod';

/** An id that a user chooses. It becomes part of paths, in which `..` would be dangerous. */
export const givenId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, . _ or -');
