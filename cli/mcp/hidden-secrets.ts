/** The form of the secrets that the gateway makes: API tokens, control tokens, and secrets of webhooks. */
const secretForm = /\b(?:test_|live_|prod_|ctl_|control_|whsec_)[\w+/~.-]{16,}=*/g;

/** The length of the shortest secret that is hidden. A shorter text may be an ordinary word. */
const shortest = 8;

/** Collects the secrets that no answer may contain. */
export class SecretRedactor {
  readonly #texts = new Set<string>();

  add(...texts: readonly (string | undefined)[]): void {
    for (const text of texts) if (text !== undefined && text.length >= shortest) this.#texts.add(text);
  }

  /** Replaces the secrets in a text with `[a token]`. */
  readonly hide = (text: string): string => {
    let hidden = text;
    // The longest secrets are replaced first. Otherwise, if one secret is the beginning of another, the end of the
    // longer secret would stay visible.
    const secrets = [...this.#texts].sort((one, other) => other.length - one.length);
    for (const secret of secrets) hidden = hidden.replaceAll(secret, '[a token]');
    return hidden.replaceAll(secretForm, '[a token]');
  };
}
