const tries = 4;

/**
 * Sends a request, and sends it again if the connection broke. A gateway that crashes in a run breaks all open
 * connections, even if a request was sent over the connection just before. It is safe to send the request again:
 * callers use this function only for requests that do no harm if they are executed twice.
 */
export async function fetchThroughCrash(request: Request): Promise<Response> {
  for (let left = tries - 1; ; left--) {
    try {
      return await fetch(left > 0 ? request.clone() : request);
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}
