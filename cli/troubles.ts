import type { paths } from '../client/openapi-types.ts';
import { toLowerCamel } from '../shared/nexo/enums.ts';
import { describeRefusalReason } from '../shared/refusal-words.ts';
import { controlClientOf, type Stack, type StackTerminal } from '../stack/index.ts';
import type { ActiveTrouble, Emulator, OfferedTrouble, TroubleMode } from '../terminal-emulator/index.ts';
import {
  findActiveFaults,
  offeredFaults,
  setOrRemoveTerminalFault,
  type UntargetedFault,
} from './fault-troubles.ts';
import {
  continueActionId,
  listPlannedMomentActions,
  listPossibleMomentActions,
  setOrRemoveMomentAction,
} from './moment-troubles.ts';

type BodyOf<Path extends keyof paths, Method extends 'put' | 'post'> = paths[Path] extends {
  [M in Method]: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;
type Outcome = BodyOf<'/control/terminals/{terminalId}/outcome', 'put'>['outcome'];
type Flap = BodyOf<'/control/terminals/{terminalId}/flap', 'post'>;
type Moment = BodyOf<'/control/terminals/{terminalId}/power-cut', 'put'>['at'];

/** The setting that causes a trouble. One call of the control API sets it. */
type Cause =
  | { outcome: Outcome }
  | { at: Moment }
  | { fault: UntargetedFault }
  | { latencyMs: number }
  | { flap: Flap };
type Known = OfferedTrouble & { readonly cause: Cause };

const lateMs = 45_000;
const slowMs = 1_500;
const flap: Flap = { times: 3, downMs: 2_000, upMs: 5_000 };
const both: readonly TroubleMode[] = ['once', 'always'];

const [host, power, network] = ['The host', 'The power', 'The network'];

const known: readonly Known[] = [
  offered(host, 'wrongPin', 'rejects every PIN', { outcome: { type: 'wrongPin' } }),
  offered(host, 'late', `answers ${lateMs / 1_000} s later`, { outcome: { type: 'late', delayMs: lateMs } }),
  offered(host, 'silent', 'never answers', { outcome: { type: 'silent' } }),
  offered(host, 'approve', 'approves every card and amount', { outcome: { type: 'approve' } }),
  offered(power, 'cutAtApproval', 'fails at the approval; the approval is reversed', {
    at: 'approvalReceived',
  }),
  offered(power, 'cutAtResult', 'fails before the answer; the answer comes later', { at: 'resultStored' }),
  ...offeredFaults.map(({ group, id, text, fault }) => offered(group, id, text, { fault })),
  offered(network, 'slow', `takes ${slowMs / 1_000} s for every message, each way`, { latencyMs: slowMs }),
  offered(network, 'flapping', describeFlap(flap), { flap }),
];

function offered(group: string, id: string, text: string, cause: Cause): Known {
  return { group, id, text, cause, modes: modesOf(cause), canLetPass: 'fault' in cause };
}

/**
 * Lists the troubles that users can set at the terminals of a stack. Sets and removes them by calls of the stack's
 * control API.
 */
export class TerminalTroubleControl {
  readonly all: readonly OfferedTrouble[];
  #stack: Stack;
  #emulator: Emulator;
  #declines: readonly Known[];

  constructor(stack: Stack, emulator: Emulator) {
    this.#stack = stack;
    this.#emulator = emulator;
    this.#declines = declines(stack);
    const pause = {
      group: 'A pause',
      id: continueActionId,
      text: 'ends, and everything goes on',
      modes: ['now'] as const,
    };
    const pauses = stack.runtime.clock.virtual ? [pause] : [];
    this.all = [...pauses, ...known, ...listPossibleMomentActions(stack), ...this.#declines];
  }

  /** Returns the troubles that are set for a terminal, whether a user set them on the screen or in another way. */
  set(terminal: StackTerminal): ActiveTrouble[] {
    const { gateway } = this.#stack;
    const emulated = this.#emulator.terminal(terminal.poiId);
    const found: ActiveTrouble[] = [];
    const outcome = gateway.acquirer.outcomes.plannedFor(terminal.identifier);
    if (outcome)
      found.push(this.#named({ outcome: outcome.outcome }, 'outcome', outcome.outcome.type, outcome.mode));
    found.push(...this.#atMoments(terminal));
    const flap = emulated?.flapping;
    if (flap) found.push(this.#named({ flap }, 'flap', describeFlap(flap), 'now'));
    const latencyMs = emulated?.network.latencyMs ?? 0;
    if (latencyMs > 0) found.push(this.#named({ latencyMs }, 'latency', `${latencyMs} ms`, 'always'));
    for (const { id, text, mode, fault } of findActiveFaults(this.#stack, terminal))
      found.push(fault ? this.#named({ fault }, id, text, mode) : { id, text, mode });
    return found;
  }

  /**
   * Returns the troubles that are planned for moments of a payment. The screen has a separate row for a power failure
   * at `approvalReceived`, and another one for a power failure at `resultStored`. Such a power failure is returned as
   * the trouble of its row.
   */
  #atMoments(terminal: StackTerminal): ActiveTrouble[] {
    return listPlannedMomentActions(this.#stack, this.#emulator, terminal).map((set) => {
      const at = /^moment (approvalReceived|resultStored) powerOff$/.exec(set.id)?.[1];
      if (at !== undefined) return this.#named({ at: at as Moment }, set.id, set.text, set.mode);
      return { ...set, text: this.all.find(({ id }) => id === set.id)?.text ?? set.text };
    });
  }

  /**
   * Sets a trouble for the next payment or for every payment. `after` is the number of payments that pass first without
   * the trouble. Without a mode, removes the trouble.
   */
  async put(poiId: string, id: string, mode: TroubleMode | undefined, after?: number): Promise<void> {
    if (id === continueActionId || id.startsWith('moment '))
      return setOrRemoveMomentAction(this.#stack, poiId, id, mode, after);
    const cause =
      known.find((each) => each.id === id)?.cause ?? this.#declines.find((each) => each.id === id)?.cause;
    if (!cause) return this.#takeBack(poiId, id);
    const control = controlClientOf(this.#stack);
    const params = { path: { terminalId: poiId } };
    if ('flap' in cause) {
      if (mode) await control.POST('/control/terminals/{terminalId}/flap', { params, body: cause.flap });
      else await this.#takeBack(poiId, 'flap');
    } else if (mode === 'now') return;
    else if ('outcome' in cause) {
      const at = '/control/terminals/{terminalId}/outcome';
      await (mode ? control.PUT(at, { params, body: { ...cause, mode } }) : control.DELETE(at, { params }));
    } else if ('at' in cause) {
      const at = '/control/terminals/{terminalId}/power-cut';
      await (mode ? control.PUT(at, { params, body: { ...cause, mode } }) : control.DELETE(at, { params }));
    } else if ('latencyMs' in cause) {
      const body = { latencyMs: mode ? cause.latencyMs : 0 };
      await control.POST('/control/terminals/{terminalId}/latency', { params, body });
    } else {
      const terminal = this.#stack.terminals.find((each) => each.poiId === poiId);
      if (terminal) await setOrRemoveTerminalFault(this.#stack, terminal, cause.fault, mode, after);
    }
  }

  /**
   * Removes a trouble that the screen does not offer. `id` is `outcome`, `flap`, `latency`, or the identifier of a
   * fault.
   */
  async #takeBack(poiId: string, id: string): Promise<void> {
    const control = controlClientOf(this.#stack);
    const params = { path: { terminalId: poiId } };
    if (id === 'outcome') await control.DELETE('/control/terminals/{terminalId}/outcome', { params });
    else if (id === 'flap')
      await control.POST('/control/terminals/{terminalId}/network', { params, body: { up: true } });
    else if (id === 'latency')
      await control.POST('/control/terminals/{terminalId}/latency', { params, body: { latencyMs: 0 } });
    else await control.DELETE('/control/faults/{faultId}', { params: { path: { faultId: id } } });
  }

  #named(cause: Cause, id: string, text: string, mode: TroubleMode): ActiveTrouble {
    const same = [...known, ...this.#declines].find((each) => isSame(each.cause, cause));
    return same ? { id: same.id, text: same.text, mode } : { id, text, mode };
  }
}

function modesOf(cause: object): readonly TroubleMode[] {
  if ('flap' in cause) return ['now'];
  return 'latencyMs' in cause ? ['always'] : both;
}

function describeFlap({ times, downMs, upMs }: Flap): string {
  return `breaks ${times} times: gone for ${downMs / 1_000} s, back for ${upMs / 1_000} s`;
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSame(one[key as keyof typeof one], other[key as keyof typeof other]));
}

/** Returns the declines that certain endings of amounts cause. Each decline lists all endings that cause it. */
function declines({ gateway }: Stack): Known[] {
  const endings = Object.entries(gateway.acquirer.amountEndings);
  const alike = Map.groupBy(endings, ([, behaviour]) => JSON.stringify(behaviour));
  return [...alike.values()].map((same) => {
    const [[first, behaviour]] = same as [(typeof endings)[number]];
    const { errorCondition, refusalReason, message } = behaviour;
    return {
      group: 'A decline, as if the amount ended in these digits',
      id: `ending${first}`,
      text: `${same.map(([ending]) => ending).join(' ')}  ${toLowerCamel(errorCondition)}: ${describeRefusalReason(refusalReason, message)}`,
      modes: both,
      cause: { outcome: { type: 'decline', ...behaviour } },
    };
  });
}
