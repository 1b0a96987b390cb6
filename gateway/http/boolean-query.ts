import { z } from 'zod';

/** The schema of a query parameter that is `true` or `false`. */
export const booleanQuerySchema = z.enum(['true', 'false']).transform((text) => text === 'true');
