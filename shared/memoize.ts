/**
 * Makes a function that computes the value for a key at the first call, and gives the same value from then on. It is for
 * values that take a while to make and may never be needed: each of Intl's formats costs a start milliseconds. If a promise
 * rejects, as for a module while there are no file descriptors, its value is made again at the next call.
 *
 * @example
 * const percentIn = memoize((language: string) => new Intl.NumberFormat(language, { style: 'percent' }));
 * percentIn('fr').format(0.15);
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
