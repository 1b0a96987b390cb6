import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpAnswer, StackHarness, TransactionResult } from '../stack/stack-harness.ts';
import { codesIn, tableUnder } from './markdown-table.ts';

export const outcomesPageText = readFileSync(join(import.meta.dirname, '../../docs/outcomes.md'), 'utf8');

/** One kind of step that the page explains: the pattern of its name, and the request for it. */
interface Kind {
  readonly pattern: RegExp;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

const placeholder = /[A-Z]{2,}/g;

const kinds: Kind[] = tableUnder(outcomesPageText, 'How to read the steps').map(({ Step, Request, Body }) => {
  const [step = ''] = codesIn(Step ?? '');
  const [method = '', path = ''] = (codesIn(Request ?? '')[0] ?? '').split(' ');
  const named = step.replaceAll(placeholder, (name) => `(?<${name}>${name === 'FIELDS' ? '.+' : '\\S+'})`);
  const pattern = new RegExp(`^${named.replace('(?<KEYS>\\S+)', '(?<KEYS>.+)')}$`);
  return { pattern, method, path, body: codesIn(Body ?? '')[0] };
});

/** Plays a reader of docs/outcomes.md who follows the steps of its tables. */
export class PageReader {
  #harness: StackHarness;
  /**
   * The answers to payment requests. These requests stay open during the next steps, but all other requests are
   * answered at once.
   */
  #payments: Promise<HttpAnswer>[] = [];
  #last: Promise<HttpAnswer> | undefined;

  constructor(harness: StackHarness) {
    this.#harness = harness;
  }

  /** Does the steps one after another. After each step, waits until everything that the step caused is over. */
  async follow(steps: readonly string[]): Promise<void> {
    for (const step of steps) {
      const answer = this.#request(step);
      this.#last = answer;
      if (step.startsWith('pay ')) this.#payments.push(answer);
      else {
        const { status, body } = await answer;
        if (status >= 400 && !step.startsWith('status'))
          throw new Error(`${step}: ${status} ${JSON.stringify(body)}`);
      }
      await this.#harness.settled();
    }
  }

  /** Resolves to the answer to the last payment request. If there was none, resolves to the answer to the last step. */
  async lastAnswer(): Promise<HttpAnswer> {
    const answer = await (this.#payments.at(-1) ?? this.#last);
    if (!answer) throw new Error('no step was done');
    return answer;
  }

  /** Resolves to the last payment's result. If the answer is a redirect, follows it. */
  async result(): Promise<TransactionResult> {
    const answer = await this.lastAnswer();
    if (answer.status !== 303) return answer.body;
    return (await this.#harness.http('GET', answer.headers.get('location') ?? '')).body;
  }

  #request(step: string): Promise<HttpAnswer> {
    for (const { pattern, method, path, body } of kinds) {
      const values = pattern.exec(step)?.groups;
      if (!values && !pattern.test(step)) continue;
      const filled = (text: string) =>
        text.replaceAll(placeholder, (name) =>
          name === 'KEYS' ? keysOf(values?.KEYS ?? '') : (values?.[name] ?? name),
        );
      const at = filled(path)
        .replace('{terminalId}', this.#harness.terminalId)
        .replace('{poiId}', this.#harness.poiId);
      return this.#harness.http(method, at, body === undefined ? undefined : filled(body));
    }
    throw new Error(`the page does not say what "${step}" means`);
  }
}

function keysOf(text: string): string {
  return text
    .split(' ')
    .map((key) => JSON.stringify(key))
    .join(',');
}
