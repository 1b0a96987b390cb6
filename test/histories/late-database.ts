import type { CommitResult } from '../../shared/database/change.ts';
import type { Random } from '../../shared/random.ts';

/** A gateway, as its database knows it. */
export interface DatabaseClient {
  readonly name: string;
  dead: boolean;
}

/**
 * A database of one or several gateways. Chance decides whether a statement is executed and answered at once, waits,
 * is answered late, or is refused because the disk is full. If a gateway has died, its statements are never
 * answered.
 */
export class LateDatabase {
  /** Whether every statement is executed and answered at once from now on. */
  calm = false;
  readonly #waiting: (() => void)[] = [];
  readonly #random: Random;
  readonly #broken: (error: unknown) => void;
  /**
   * Whether statements are still executed after their gateway has died. With several gateways, such statements are
   * executed, because the database already has them. With a single gateway, such statements are not executed, because
   * its database dies with it.
   */
  readonly #outlives: boolean;

  constructor(random: Random, broken: (error: unknown) => void, { outlives }: { outlives: boolean }) {
    this.#random = random;
    this.#broken = broken;
    this.#outlives = outlives;
  }

  get waits(): boolean {
    return this.#waiting.length > 0;
  }

  /** Executes or answers one of the waiting statements. */
  getOn(): void {
    const [next] = this.#waiting.splice(this.#random.int(Math.max(1, this.#waiting.length)), 1);
    next?.();
  }

  read<Row>(client: DatabaseClient, row: () => Row): Promise<Row> {
    return this.#asked(client, row);
  }

  commit(client: DatabaseClient, batch: () => CommitResult): Promise<CommitResult> {
    return this.#asked(client, () => {
      if (!this.calm && this.#random.int(15) === 0)
        return { is: 'refused', because: 'storage', error: new DiskFullError('no room') };
      try {
        return batch();
      } catch (error) {
        this.#broken(error);
        return { is: 'refused', because: 'storage', error: new DiskFullError('the history is over') };
      }
    });
  }

  #asked<Result>(client: DatabaseClient, work: () => Result): Promise<Result> {
    if (client.dead) return new Promise(() => {});
    const fate = this.calm ? 0 : this.#random.int(4);
    if (fate < 2) return Promise.resolve(work());
    return new Promise((resolve) => {
      const answer = (result: Result) => {
        if (!client.dead) resolve(result);
      };
      if (fate === 2) {
        const result = work();
        this.#waiting.push(() => answer(result));
      } else
        this.#waiting.push(() => {
          if (this.#outlives || !client.dead) answer(work());
        });
    });
  }
}

/** The disk is full. */
export class DiskFullError extends Error {}
