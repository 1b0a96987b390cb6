/**
 * The consequences of an interruption at a moment. The interruption is a crash of the gateway, or a power cut at the
 * terminal after which the power comes back. If only the network is interrupted, the payment ends in the same way, but
 * the steps before the end differ.
 */
export const interruptionConsequences = {
  sentAgain: 'the terminal does not know the payment, and gets the payment again when the terminal is back',
  notTaken: 'the payment fails, and no money is taken',
  takenBack: 'the payment fails, and if the host has approved it, the approval is reversed',
  answeredLater: 'the terminal keeps the outcome, and sends the outcome when the terminal is back',
  ended: 'nothing changes, because the gateway has the outcome already',
  notAccepted: 'there is no payment, so your POS has to send the request again with the same key',
  goesOn: 'the payment continues when the gateway is back, and your POS has to ask for the outcome',
  answeredTwice: 'the terminal sends its answer again, and your POS has to ask for the outcome',
  known: 'the outcome is stored, and your POS has to ask for the outcome',
  notAborted: 'the terminal does not receive the abort, unless your POS sends it again',
} as const;
export type InterruptionConsequence = keyof typeof interruptionConsequences;

/** The consequences in a few words, for places with little room. */
export const shortConsequenceTexts: Readonly<Record<InterruptionConsequence, string>> = {
  sentAgain: 'it is sent again',
  notTaken: 'fails, nothing is taken',
  takenBack: 'fails, and is reversed',
  answeredLater: 'its outcome comes later',
  ended: 'nothing, it has ended',
  notAccepted: 'no payment: repeat request',
  goesOn: 'it goes on afterwards',
  answeredTwice: 'the answer is sent again',
  known: 'your POS has to ask',
  notAborted: 'the abort is lost',
};

/** The process in which a payment passes a moment. The plans for the moment are kept in that process. */
type Side = 'terminal' | 'gateway';

export const momentActions = ['powerOff', 'networkOff', 'cutConnection', 'crash', 'pause'] as const;
type MomentAction = (typeof momentActions)[number];

/**
 * Some actions have the same consequence at every moment. This object describes the consequence of each of these
 * actions in words.
 */
const consequenceAnywhere = {
  networkOff: 'the terminal goes on without the network',
  cutConnection: 'the payment goes on, and your POS has to ask',
  pause: 'everything stands still, and goes on when the pause ends',
} as const satisfies Partial<Record<MomentAction, string>>;

/** Returns the consequence of an action at a moment. */
export function consequenceText(action: MomentAction, moment: MomentNameOrAlias): string {
  if (action === 'powerOff' || action === 'crash')
    return interruptionConsequences[moments[resolveMoment(moment)].leadsTo];
  return consequenceAnywhere[action];
}

interface Moment {
  readonly side: Side;
  /** One sentence about the state of the payment at this moment. */
  readonly is: string;
  readonly leadsTo: InterruptionConsequence;
  readonly faults: readonly MomentAction[];
}

const atTerminal: readonly MomentAction[] = ['powerOff', 'networkOff', 'pause'];
const atGateway: readonly MomentAction[] = ['cutConnection', 'crash', 'pause'];

const terminal = (is: string, leadsTo: InterruptionConsequence): Moment => ({
  ...{ side: 'terminal', is, leadsTo },
  faults: atTerminal,
});
const gateway = (is: string, leadsTo: InterruptionConsequence, faults = atGateway): Moment => ({
  ...{ side: 'gateway', is, leadsTo },
  faults,
});

/**
 * The moments of a payment that have a name, in the order in which a payment passes them. If a moment is a state of the
 * terminal, the moment has the name of that state. The terminal's screen has the same name. The name of any other
 * moment consists of `before` or `after` and the name of an effect or a commit.
 */
const table = {
  'before.accepted': gateway('The request was checked, but is not stored yet', 'notAccepted'),
  'after.accepted': gateway('The payment is stored, but nothing is sent yet', 'goesOn'),
  'before.deliver': gateway('The payment is about to be sent to the terminal', 'goesOn'),
  'after.deliver': gateway('The payment was sent to the terminal', 'goesOn'),
  'before.delivered': gateway(
    'The gateway is about to store that the terminal has accepted the payment',
    'goesOn',
  ),
  'after.delivered': gateway('The gateway has stored that the terminal has accepted the payment', 'goesOn'),
  'before.begun': terminal('The terminal has the request, but has not stored it yet', 'sentAgain'),
  'after.begun': terminal('The terminal has stored the payment, but has not acknowledged it yet', 'notTaken'),
  tip: terminal('The terminal asks for a tip', 'notTaken'),
  customTip: terminal('The shopper types a tip', 'notTaken'),
  presentCard: terminal('The terminal asks for a card', 'notTaken'),
  keyedNumber: terminal('A card number is being typed', 'notTaken'),
  keyedExpiry: terminal('An expiry date is being typed', 'notTaken'),
  readingCard: terminal('A card is being read', 'notTaken'),
  chipUnreadable: terminal('The chip could not be read, and the card has to come out', 'notTaken'),
  swipeInstead: terminal(
    'The chip could not be read in three tries, and the terminal asks for the stripe',
    'notTaken',
  ),
  insertInstead: terminal('The card has to be inserted instead', 'notTaken'),
  cardUnreadable: terminal('The card could not be read', 'notTaken'),
  applicationChoice: terminal('The terminal asks which application of the card to use', 'notTaken'),
  pin: terminal('The terminal asks for the PIN', 'notTaken'),
  pinWrong: terminal('The terminal says that the PIN is wrong, and there are tries left', 'notTaken'),
  'before.attempted': terminal(
    'The terminal is about to ask the host, but has not stored this yet',
    'notTaken',
  ),
  authorizing: terminal('The terminal waits for the host', 'takenBack'),
  'after.attempted': terminal(
    'The terminal has stored that it will ask the host, but has not asked the host yet',
    'takenBack',
  ),
  'before.authorized': gateway('The host has decided, but the decision is not stored yet', 'goesOn'),
  'after.authorized': gateway(
    'The decision of the host is stored, but the terminal does not know it yet',
    'goesOn',
  ),
  'before.reply': gateway("The host's answer is about to be sent to the terminal", 'goesOn'),
  'after.reply': gateway("The host's answer was sent to the terminal", 'goesOn'),
  'before.settled': terminal('The terminal has an outcome, but has not stored it yet', 'takenBack'),
  'after.settled': terminal(
    'The terminal has stored the outcome, but has not sent the outcome yet',
    'answeredLater',
  ),
  approved: terminal('The approval is shown', 'answeredLater'),
  declined: terminal('The decline is shown', 'answeredLater'),
  cancelled: terminal('The terminal shows that the payment ended without the host', 'answeredLater'),
  cardNotAccepted: terminal('The terminal shows that it does not accept the card', 'answeredLater'),
  removeCard: terminal('The card has to come out', 'ended'),
  printing: terminal('The receipts are printed', 'ended'),
  'before.concluded': gateway("The terminal's answer has arrived, but is not stored yet", 'answeredTwice'),
  'after.concluded': gateway('The outcome is stored, but nothing is sent yet', 'known'),
  'before.answer': gateway('The requests that wait for the outcome are about to be answered', 'known'),
  'after.answer': gateway(
    'The outcome was passed to the requests that wait for it, but their answers are not sent yet',
    'known',
  ),
  'before.abort': gateway('An abort is about to be sent to the terminal', 'notAborted'),
  'after.abort': gateway('An abort was sent to the terminal', 'goesOn'),
  'before.ask': gateway('The gateway is about to ask the terminal what it knows about the payment', 'goesOn'),
  'after.ask': gateway('The gateway has asked the terminal what it knows about the payment', 'goesOn'),
  'before.noted': gateway('The state of the payment is about to be stored', 'goesOn'),
  'after.noted': gateway('The state of the payment is stored', 'goesOn'),
  'before.reversed': terminal(
    'The host has reversed the payment, but the terminal has not stored this yet',
    'ended',
  ),
  'after.reversed': terminal('The terminal has stored that the host has reversed the payment', 'ended'),
} satisfies Record<string, Moment>;

export type MomentName = keyof typeof table;
export const moments: Readonly<Record<MomentName, Moment>> = table;
export const momentNames = Object.keys(table) as MomentName[];

/** The older names of two moments. A plan with an older name takes effect only if the payment is approved (B171). */
export const momentAliases = { approvalReceived: 'before.settled', resultStored: 'after.settled' } as const;
type MomentAlias = keyof typeof momentAliases;

/** A name that a test can use for a moment. */
export type MomentNameOrAlias = MomentName | MomentAlias;
export const momentNamesAndAliases = [...momentNames, ...(Object.keys(momentAliases) as MomentAlias[])] as [
  MomentNameOrAlias,
  ...MomentNameOrAlias[],
];

/** Returns the moment that a name means. The name can be an older name of the moment. */
export function resolveMoment(name: MomentNameOrAlias): MomentName {
  return isMomentAlias(name) ? momentAliases[name] : name;
}

/** Returns the process that keeps the plans for a moment. */
export function processOfMoment(name: MomentNameOrAlias): Side {
  return moments[resolveMoment(name)].side;
}

export function isMomentAlias(name: MomentNameOrAlias): name is MomentAlias {
  return name in momentAliases;
}
