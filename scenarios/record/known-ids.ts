/** The identifiers in a recording, each with the placeholder that takes its place in the scenario. */
export class IdPlaceholders {
  #placeholders = new Map<string, string>();

  add(id: string | undefined, placeholder: string): void {
    if (id !== undefined && !this.#placeholders.has(id)) this.#placeholders.set(id, placeholder);
  }

  /** Returns the name whose `.id` is the placeholder: `sale` if the placeholder is `sale.id`. */
  nameOf(id: string): string | undefined {
    const placeholder = this.#placeholders.get(id);
    return placeholder?.endsWith('.id') ? placeholder.slice(0, -'.id'.length) : undefined;
  }

  /** Returns a path or body in which every known identifier is replaced by its placeholder. */
  put<Value>(value: Value): Value {
    if (typeof value === 'string') return this.#text(value) as Value;
    if (Array.isArray(value)) return value.map((one) => this.put(one)) as Value;
    if (!value || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.put(one)])) as Value;
  }

  #text(text: string): string {
    let put = text;
    for (const [id, placeholder] of this.#placeholders) put = put.replaceAll(id, `<${placeholder}>`);
    return put;
  }
}
