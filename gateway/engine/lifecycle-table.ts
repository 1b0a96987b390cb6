/**
 * The form of the tables `lifecycle` of payments, debits, refunds and credits. For each state, a table says how each
 * input is handled. The type of the table makes sure that no pair of a state and an input is missing.
 */

/** The member of a union whose field `is` has this value. */
export type UnionMemberByIs<Union extends { is: string }, Name> = Extract<Union, { is: Name }>;

/** Marks an input that cannot occur in a state. `impossible` is the reason. */
export interface ImpossibleInput {
  impossible: string;
}

type AnyTransition<Facts, Step> = (state: never, input: never, facts: Facts) => Step;
type Table<Facts, Step> = Readonly<
  Record<string, Record<string, AnyTransition<Facts, Step> | ImpossibleInput>>
>;

/**
 * Handles an input as a table requires for the present state. `thing` names the subject of the table in the error, for
 * example `a payment`.
 *
 * @throws if the table says that the input is impossible in this state
 */
export function decideByTable<Facts, Step>(
  thing: string,
  table: Table<Facts, Step>,
  state: { readonly is: string },
  input: { readonly is: string },
  facts: Facts,
): Step {
  const chosen = table[state.is]?.[input.is] as AnyTransition<Facts, Step> | ImpossibleInput;
  if (typeof chosen === 'function') return chosen(state as never, input as never, facts);
  throw new Error(
    `the input ${input.is} is impossible for ${thing} that is ${state.is}: ${chosen.impossible}`,
  );
}
