/** Longer texts are made again each time: few come again, and they would fill the memory. */
const longest = 200;

/**
 * A function of a text that remembers what it made of the latest few: those asked for again live on in the next
 * generation, the others go with theirs.
 */
export function recent<Made>(make: (text: string) => Made, size = 1000): (text: string) => Made {
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

/** A function of an object that does not change, which remembers what it made of each for as long as that lives. */
export function onceForEach<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const former = known.get(key);
    if (former !== undefined) return former;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
