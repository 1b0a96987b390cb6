/**
 * Returns an object with the methods of `target`. If a method fails, the error has the stack of the method's caller. So
 * a test runner shows a line of the test, and not a line of pinpad, which would not help the test's author.
 */
export function withErrorsAtCallSite<Target extends object>(target: Target): Target {
  return new Proxy(target, {
    get(_target, property) {
      // getters run with the target as `this`, because only the target has the private fields
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === 'function' && property !== 'constructor'
        ? withCallerStack(target, member as Method)
        : member;
    },
  });
}

type Method = (...values: never[]) => unknown;

function withCallerStack(target: object, method: Method): Method {
  return function called(...values: never[]): unknown {
    const site: { stack?: string } = {};
    Error.captureStackTrace(site, called);
    try {
      const result = method.apply(target, values);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw replaceFrames(site, error);
      });
    } catch (error) {
      throw replaceFrames(site, error);
    }
  };
}

/** Replaces the stack frames of a failure by the frames of the call. The failure's message stays. */
function replaceFrames({ stack = '' }: { stack?: string }, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const frames = stack.split('\n').slice(1);
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}
