const tries = 4;

/**
 * Sends a request, again where its connection broke: a gateway that crashes in a run breaks those that are open, also when the
 * request on one was just sent. All that explore asks for after the command's end may be asked twice.
 */
export async function throughACrash(request: Request): Promise<Response> {
  for (let left = tries - 1; ; left--) {
    try {
      return await fetch(left > 0 ? request.clone() : request);
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
