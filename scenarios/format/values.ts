import { z } from 'zod';
import { momentNamesAndAliases, processOfMoment } from '../../shared/moments.ts';

/**
 * The kinds of values in the fields of steps. Instead of a value, a field may have a placeholder. A value replaces
 * the placeholder before the step runs.
 */

const majorUnits = 'must be an amount in major units such as 12.50';

/** An amount in major units, or a placeholder for an amount. */
export const amountSchema = z
  .union([z.number(), z.string().regex(/^<[^<>]+>$/, majorUnits)], { error: majorUnits })
  .meta({ description: 'Major units, e.g. 12.50' });

/** An amount in major units, or `all` for everything that is left of a payment. */
export const amountOrAllSchema = z
  .union([z.number(), z.string().regex(/^(all|<[^<>]+>)$/, `${majorUnits}, or all`)], {
    error: `${majorUnits}, or all`,
  })
  .meta({
    description:
      'An amount in major units such as 12.50, or `all` for everything that is left of the payment',
  });

export const nameSchema = z
  .string()
  .regex(/^[a-zA-Z][\w-]*$/, 'must be a word such as sale or second-try')
  .meta({ description: 'A name for this request' });

export const terminalNameSchema = z
  .string()
  .optional()
  .meta({ description: 'The name of a terminal in `needs`; by default the first terminal' });

/** A moment of a payment, at the terminal or at the gateway. */
export const terminalMomentSchema = z
  .enum(momentNamesAndAliases.filter((name) => processOfMoment(name) === 'terminal'))
  .meta({
    description:
      'The action happens at this moment of the next payment (docs/moments.md). Without a moment, it happens now',
  });
export const gatewayMomentSchema = z
  .enum(momentNamesAndAliases.filter((name) => processOfMoment(name) === 'gateway'))
  .meta({
    description: 'A moment of the next payment (docs/moments.md)',
  });

export const earlierRequestNameSchema = z
  .string()
  .min(1)
  .meta({ description: 'The name of an earlier request' });

const units = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, days: 86_400_000, day: 86_400_000 };

const withUnit = 'must be a time such as 150 s, 2 min, 48 h or 7 days: a number and its unit';

/**
 * The longest duration. It is much longer than any timer of the service, but short enough that the resulting dates can
 * still be written.
 */
const longestMs = 3650 * units.day;

/** A time such as `150 s`, `30 ms`, `2 min`, `48 h` or `7 days`. */
export const durationSchema = z
  .string(withUnit)
  .regex(/^\d+(\.\d+)? ?(ms|s|min|h|days?)$/, withUnit)
  .refine((text) => !(parseDurationMs(text) > longestMs), 'must be at most 3650 days') // NaN if the text is not a time
  .meta({ description: 'A time such as 150 s, 2 min, 48 h or 7 days' });

/** Turns a text that {@link durationSchema} accepts into milliseconds. */
export function parseDurationMs(text: string): number {
  const [, count = '', unit = ''] = /^([\d.]+) ?(\w+)$/.exec(text) ?? [];
  return Math.round(Number(count) * units[unit as keyof typeof units]);
}

/**
 * The value of a verb that needs no value. Such a step is `- remove` or, if it has options, begins with `- remove:
 * true`.
 */
export const loneVerbValueSchema = z.literal(true);
