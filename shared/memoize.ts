/**
 * A function that makes its value for a key when that is first asked for and gives the same one from then on. For what
 * takes a while to make and may never be needed: each of Intl's formats costs a start milliseconds.
 *
 * @example
 * const percentIn = memoize((language: string) => new Intl.NumberFormat(language, { style: 'percent' }));
 * percentIn('fr').format(0.15);
 */
export function memoize<Value, Key = void>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key) as Value;
  };
}
