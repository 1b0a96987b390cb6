/**
 * A function that makes its value for a key when that is first asked for and gives the same one from then on. For what
 * takes a while to make and may never be needed: each of Intl's formats costs a start milliseconds. What could not be made,
 * as a module while there are no file descriptors, is made again when it is asked for again.
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
