/**
 * The same object, whose methods fail with the stack of their caller: a test runner then shows the line of the test,
 * not one of ours, which says nothing to the author of the test.
 */
export function atCallSite<Target extends object>(target: Target): Target {
  return new Proxy(target, {
    get(_target, property) {
      const member: unknown = Reflect.get(target, property, target); // private fields are the target's
      return typeof member === 'function' && property !== 'constructor'
        ? reporting(target, member as Method)
        : member;
    },
  });
}

type Method = (...values: never[]) => unknown;

function reporting(target: object, method: Method): Method {
  return function called(...values: never[]): unknown {
    const site: { stack?: string } = {};
    Error.captureStackTrace(site, called);
    try {
      const result = method.apply(target, values);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw at(site, error);
      });
    } catch (error) {
      throw at(site, error);
    }
  };
}

/** The frames of the call in place of those of the failure, whose message stays. */
function at({ stack = '' }: { stack?: string }, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const frames = stack.split('\n').slice(1);
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}
