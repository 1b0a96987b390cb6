import type { CommandVariables } from './explore-server.ts';

/** The environment variables with secrets: tokens, and addresses that end with a secret. */
const secret = ['PINPAD_TOKEN', 'PINPAD_CONTROL_TOKEN', 'PINPAD_BELIEFS_URL', 'PINPAD_EXPLORE_URL'];

/**
 * The secrets of commands. No report may show them. The secrets of earlier runs are kept, because a command that keeps
 * running may print one of them.
 */
export class CommandSecrets {
  readonly #names = new Map<string, string>();

  add(variables: CommandVariables): void {
    for (const name of secret) {
      const text = variables[name]?.split('/').at(-1) ?? '';
      if (text !== '') this.#names.set(text, `$${name}`);
    }
    const { password } = URL.parse(variables.HTTPS_PROXY ?? '') ?? {};
    if (password) this.#names.set(password, '…');
  }

  /** Returns an output line of a command in which each secret is replaced by the name of its variable. */
  hide(line: string): string {
    let hidden = line;
    for (const [text, name] of this.#names) hidden = hidden.replaceAll(text, name);
    return hidden;
  }
}
