const tries = 4;

/**
 * Sends a request, and sends it again if its connection broke: a gateway that crashes in a run breaks all open connections, even
 * with a request just sent. Every request of explore after the command's end may be sent twice.
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
