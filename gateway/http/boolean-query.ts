import { z } from 'zod';

/** The schema of a query parameter that is `true` or `false`. */
export const booleanQuery = z.enum(['true', 'false']).transform((text) => text === 'true');
