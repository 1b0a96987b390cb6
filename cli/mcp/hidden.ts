/** As the gateway makes secrets: API tokens, control tokens, those of webhooks. */
const secretForm = /\b(?:test_|live_|prod_|ctl_|control_|whsec_)[\w+/~.-]{16,}=*/g;

/** A shorter text may be a word. */
const shortest = 8;

/** The secrets that no answer may hold. */
export class Hidden {
  readonly #texts = new Set<string>();

  add(...texts: readonly (string | undefined)[]): void {
    for (const text of texts) if (text !== undefined && text.length >= shortest) this.#texts.add(text);
  }

  /** A text without them. */
  readonly hide = (text: string): string => {
    let hidden = text;
    for (const secret of this.#texts) hidden = hidden.replaceAll(secret, '[a token]');
    return hidden.replaceAll(secretForm, '[a token]');
  };
}
