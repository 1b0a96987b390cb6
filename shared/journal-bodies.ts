/** The number of bytes that are allocated at once for several bodies. */
const chunkBytes = 128 * 1024;
/** The maximum number of bytes that one UTF-16 unit of a text takes in UTF-8. */
const mostBytesEach = 3;
/**
 * A text with more characters than this gets a buffer of exactly its own size. A buffer that several texts share (a
 * chunk) reserves three bytes for each character, although most characters take only one.
 */
const longestTogether = 4_096;

/** A body of an entry: its text, and the function that turns the text into what the journal shows. */
export class StoredJournalBody {
  readonly #chunk: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #read: (text: string) => unknown;

  constructor(chunk: Buffer, place: { start: number; end: number }, read: (text: string) => unknown) {
    this.#chunk = chunk;
    this.#start = place.start;
    this.#end = place.end;
    this.#read = read;
  }

  read(): unknown {
    return this.#read(this.#chunk.toString('utf8', this.#start, this.#end));
  }
}

/**
 * Keeps bodies outside the heap. Under load, a journal drops most entries before anyone reads them. If the bodies were
 * on the heap, the garbage collector would copy each body twice before the journal drops the body. Most of the bytes
 * that the collector copies would be bodies.
 */
export class JournalBodyStore {
  #chunk = Buffer.alloc(0);
  #used = 0;

  keep(text: string, read: (text: string) => unknown): StoredJournalBody {
    if (text.length > longestTogether) {
      const own = Buffer.from(text);
      return new StoredJournalBody(own, { start: 0, end: own.length }, read);
    }
    const room = mostBytesEach * text.length;
    if (this.#chunk.length - this.#used < room) {
      this.#chunk = Buffer.allocUnsafeSlow(Math.max(chunkBytes, room));
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += this.#chunk.write(text, start);
    return new StoredJournalBody(this.#chunk, { start, end: this.#used }, read);
  }
}
