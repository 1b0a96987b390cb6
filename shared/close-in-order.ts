/**
 * Calls the functions one after the other. If a function fails, the next ones are called nevertheless, so that nothing
 * stays open.
 *
 * @throws the first error, after all functions were called
 *
 * @example await closeInOrder(() => gateway.close(), () => emulator.close());
 */
export async function closeInOrder(...closers: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers)
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}
