import { RecentlyUsedCache } from './recently-used.ts';

/**
 * The maximum length of a text that is remembered, in characters. Longer texts are rarely used again, and would fill
 * the memory.
 */
const longest = 200;

/**
 * Adds a cache to a function whose argument is a text. The cache keeps only the results that were used recently ({@link
 * RecentlyUsed}).
 */
export function memoizeRecent<Made>(make: (text: string) => Made): (text: string) => Made {
  const results = new RecentlyUsedCache<Made>(1000);
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    if (text.length <= longest) results.set(text, made);
    return made;
  };
}

/**
 * Adds a cache to a function whose argument is an object. The object must not change. The cache keeps the result as
 * long as the object exists.
 */
export function memoizeByObject<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const former = known.get(key);
    if (former !== undefined) return former;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
