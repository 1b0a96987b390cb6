import { z } from 'zod';

/** A query parameter that is `true` or `false`. */
export const yesNo = z.enum(['true', 'false']).transform((text) => text === 'true');
