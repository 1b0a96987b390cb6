/**
 * The maximum length of a text that is remembered, in characters. Few longer texts come again, and they would fill the
 * memory.
 */
const longest = 200;

/**
 * Adds a cache to a function of a text. The cache keeps the latest results, in two generations. A result that is asked
 * for again moves to the newer generation. The rest are dropped together with the older one.
 */
export function memoizeRecent<Made>(make: (text: string) => Made, size = 1000): (text: string) => Made {
  let young = new Map<string, Made>();
  let old = new Map<string, Made>();
  return (text) => {
    const known = young.get(text);
    if (known !== undefined) return known;
    if (text.length > longest) return make(text);
    const made = old.get(text) ?? make(text);
    if (young.size >= size) {
      old = young;
      young = new Map();
    }
    young.set(text, made);
    return made;
  };
}

/**
 * Makes a function of an object that does not change. The function remembers its result for each object as long as the
 * object lives.
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
