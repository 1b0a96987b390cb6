/**
 * Makes a function that computes the value for a key at the first call, and returns the same value from then on. Use it
 * for values that take time to make and may never be needed: each of Intl's formats takes milliseconds. If the value is
 * a promise and rejects, the next call makes the value again. For example, a module cannot be loaded while no file
 * descriptor is free.
 * @example const percentIn = memoize((language: string) => new Intl.NumberFormat(language, { style: 'percent' }));
 * percentIn('fr').format(0.15);
 *
 */
export function memoize<Value, Key = void>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    if (!made.has(key)) {
      const value = make(key);
      made.set(key, value);
      if (value instanceof Promise) value.catch(() => made.delete(key));
    }
    return made.get(key) as Value;
  };
}
