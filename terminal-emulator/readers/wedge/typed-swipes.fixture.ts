/**
 * The text that a reader types for one swipe, for each layout of the system. A reader presses the keys of a US
 * keyboard.
 */

const number = '4761739001010010';
const track1 = `%B${number}^DOE/JAMES Q^27122011184500000000000?`;
const track2 = `;${number}=27122011845888890000?`;

interface Layout {
  readonly from: string;
  readonly to: string;
}

const digits = '1234567890';
const layouts: Record<string, Layout> = {
  German: { from: '^/;=?+YZ', to: '&-ö´_`ZY' },
  Spanish: { from: '^/;=?+', to: '&-ñ¡_¿' },
  French: { from: `${digits}%^;?/AQWZM`, to: '&é"\'(-è_çà56m§!QAZW?' },
  'French with Caps Lock': { from: `${digits}%^;?/AQWZM`, to: '&É"\'(-È_ÇÀ56M§!qazw?' },
  Belgian: { from: `${digits}%^;?/AQWZM`, to: '&é"\'(§è!çà56m+=QAZW?' },
  Czech: { from: `${digits}%^;=?/YZ`, to: '+ěščřžýáíé56ů´_-ZY' },
  Hungarian: { from: '0^/;=?YZ', to: 'ö/-é ó_ZY' },
  US: { from: '', to: '' },
};

function typedIn({ from, to }: Layout, text: string): string {
  const keys = [...to];
  return [...text].map((key) => keys[[...from].indexOf(key)] ?? key).join('');
}

/** The texts that readers type for a swipe, each with a description such as "French, track 2". */
export const typedSwipes: readonly (readonly [name: string, typed: string])[] = Object.entries(
  layouts,
).flatMap(([name, layout]) =>
  Object.entries({
    'both tracks': `${track1}${track2}\r`,
    'track 2': `${track2}\r`,
    'track 2 without Enter': track2,
    'Enter behind each': `${track1}\r${track2}\r`,
    'no sentinels': `${track1.slice(1, -1)}\r${track2.slice(1, -1)}\r`,
    'the number alone': `${number}\r`,
  }).map(([what, typed]) => [`${name}, ${what}`, typedIn(layout, typed)] as const),
);

/** Whether a text contains a character that appears in some keyboard layout instead of a digit. */
export function hasLayoutDigit(key: string): boolean {
  return /[\d&é"'(\-è_çà§!+ěščřžýáíéö]/i.test(key);
}
