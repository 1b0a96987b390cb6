# Architecture

[The glossary](docs/glossary.md) explains the words. [behaviour.md](docs/behaviour.md) says what the service does, in numbered
rows that code and tests cite as `(B57)`. [docs/decisions](docs/decisions/README.md) says why things are built as they are.
`test/architecture.test.ts` names the check that shows each sentence of this page, outside of "Inside the rooms". It
also names the sentences that a person has read against the code, and when.

```
 POS ── HTTP, the payments API ──▶ gateway ◀── WebSocket /poi, nexo messages ── terminal (one link each)
 test suite, CLI ── HTTP /control ─▶  │    ◀── WebSocket /emulator, actions in, screens out ── emulator process
                                      └─ the acquirer host is a module of the gateway; terminals reach it over /poi
```

## Rooms

| Room | What is in it | May import |
|---|---|---|
| `shared/` | what both sides use: clock, randomness, money, journal, nexo messages, links, database | nothing of ours |
| `gateway/` | the payments service, the terminals' server, the acquirer host, the control API; a folder per resource | `shared` |
| `terminal-emulator/` | terminals: machines, flash memory, screens, cards, receipts, readers, the text UI | `shared` |
| `client/` | the typed clients that users import; their types are generated from the OpenAPI document | nothing of ours |
| `console/` | the pages in a browser: terminals, traffic and all else of a running gateway; `page/` is what the browser runs | `shared`, the types of `client`, two pure files of `terminal-emulator` |
| `stack/` | puts a gateway and terminals together from a configuration; sells, triggers and follows events at a running one | `client`, the `index.ts` of `gateway`, `terminal-emulator` and `console` |
| `scenarios/` | scenarios from YAML: format, verbs, expectations, runner, reports; the package includes those in `library/` | `stack`, `client`, the `index.ts` of `gateway`, `terminal-emulator` and `console` |
| `explore/` | runs a point of sale's command with each fault at each moment, judges what became of the money, reports | `scenarios`, `stack`, `leading`, the clients of `client` |
| `leading/` | leads a command's calls to the hosts of another vendor to a gateway: certificates, a TLS front, a proxy, variables | `shared` |
| `testing/` | the library `pinpad/testing`: the verbs of scenarios for tests in TypeScript | `scenarios`, `stack`, the `index.ts` of `gateway` and `terminal-emulator` |
| `cli/` | the `pinpad` command: a file per sub-command, a folder where one has several | `scenarios`, `explore`, `leading`, `client`, `stack`, the `index.ts` of `gateway` and `terminal-emulator` |
| `test/` | whole-stack tests, random histories of payments, the crash test, the abuse test, and the house rules as tests | everything |
| `bench/`, `scripts/`, `docs/`, `examples/`, `deploy/`, `bin/` | benchmarks and what was found (`bench/notes/`), the build, what a user reads, a small POS with its tests, several gateways in containers, the command | |

Every room but `client/` may import `shared/` too. `cli/`, `gateway/` and `scenarios/` may read `package.json` for the version.

`test/house.test.ts` checks the rooms and the rules of this paragraph. In every folder, files and folders form no circle, types
included. There is one exception: a resource may import the type `Services` from `gateway/services.ts`, which imports the resources.
Two resources of the gateway never import each other. Only one file imports `blessed`, one `pino` and one `better-sqlite3`.
One file imports the SDK of `pinpad mcp`, and one the library that writes certificates. `pg`, `ws`, `serialport` and `express` have two or three importers.

Inside the gateway, `services.ts` opens every service, each once and after those that it needs. `payments/create-payments.ts` opens those of payments.
`resources.ts` lists the endpoints, with one function for each resource. Each function names the services that it needs
(`Pick<Services, 'refunds'>`). The endpoints of the control API are listed in `control/endpoints.ts` and are loaded at its first call.
A new resource needs a folder and a line in one of these lists. If it keeps something, its service is opened in `services.ts`.
The OpenAPI document, the request checks and the conformance tests are derived from its endpoints.

## Inside the rooms

From the ground up: a line may use the lines above it, and folders that stand on one line do not use each other.
`test/house.test.ts` checks that too. Some parts have pages beside the code that say how they work:
[several gateways](gateway/cluster/README.md), [shared links](shared/transport/README.md), [explorations](explore/README.md) and [the bundle](scripts/README.md).

**`shared/`**: single things are files, such as `clock`, `random`, `money` and `lanes`.
- `nexo/` (messages), `masking/` (card numbers and secrets; the `journal` uses it), `database/`
- `certificates/` (an authority of one's own, and what it issues to servers)
- `skipping/` (when virtual time moves by itself, and what it waits for)
- `transport/` (links over WebSockets, own or shared), `emulator/` (cards, screens and frames of `/emulator`),
  `sales/` (a journal's requests and payments as sales: who shows a sale, judges it or explains it takes it from there)
- `requests/` (what the journal says of a POS's requests)
- `lint/` (what a POS does wrong)

**`gateway/`**
- `faults/` (what tests have go wrong, for whom and how often)
- `http/` (checks, errors, OpenAPI), `store/` (tables, with what each holds in `rows/`; migrations)
- `engine/` (moves what has states: one input after the other, decided, committed, then followed by effects; who does what
  falls due, and whom a change concerns)
- `moments/` (what tests have happen at the moments of payments here)
- `accounts/` (merchants and their API tokens), `events/`, `acquirer/` (the host's decisions, outcomes, ledger)
- `findings/` (what points of sale do wrong, while they do it), `terminals/` (stores and terminals, `/poi`), `saved-cards/` (contacts, their cards and bank accounts,
  debits and captures; `core/` is how debits and their refunds move)
- `webhooks/`, `docs-page/` (`/docs`), `health/`
- `payments/`, `refunds/` (of debits: their endpoints, and refusals in words), `credits/` (payment links; `core/` is how they move, `page/`
  the customer's page)
- `sales/` (the sales of all accounts: of the journal, and before it of the stored payments)
- `control/` (the server of `/emulator`, and the operator's endpoints, a file each, also those of accounts, events and
  webhooks, whose folders have services alone)
- `cluster/` (several gateways of a PostgreSQL database; nothing above this line imports it)
- `console/` (who gets in to `/console`, and what only its page asks for; the page itself is handed in)
- `dialects/` (other vendors' APIs over the same services, a folder each, loaded when it is first called: `adyen/`)
- `services.ts` opens these, `one-or-many.ts` is what they meet of other gateways, `resources.ts` lists their endpoints, `index.ts` starts the gateway,
  `move-data.ts` brings a folder's data into PostgreSQL

**`gateway/payments/`**: open `core/lifecycle.ts` first, then `moving/payment-moves.ts` and `service.ts`
- `core/` (what a payment is and how it moves, pure: `states.ts`, what can happen in `step.ts`, what follows in `effects.ts`, the
  table `lifecycle.ts` and its transitions; an `order.ts` goes in and an `outcome.ts` comes out, neither in an API's form)
- `moving/` (the core on the engine: open payments and keys in memory, reads of rows, inputs from terminals' messages and
  from a restart, effects carried out, requests that wait)
- `native-api/` (the payments API: its endpoints and schemas, requests read as orders, outcomes rendered as answers)
- on top, `acceptance.ts` checks and stores what is ordered, `service.ts` holds, finds and aborts, `explain.ts` says why, and
  `create-payments.ts` puts it together; `running.ts` says what runs payments, at a lone gateway all of them

**`terminal-emulator/`**
- `cards/` (test cards, what is presented)
- `screens/` (what is shown, per language), `readers/` (card readers: a folder per protocol, `emv/` for chips, `transport/` for
  lines, `emulators/` of readers and chip cards, for tests and users)
- `receipts/`, `tui/` (the text UI: state, update, `views/`)
- `payment/`: `payment.machine.ts` has the states from top to bottom, `transitions.ts` what several of them share,
  `payment-setup.ts` its guards and actions, `payment-context.ts` what it keeps
- `terminal/`: power, links, memory. `payment-acceptor.ts` takes requests to the machine, which `payment-dialogue.ts` holds with
  the card in the slot; `dialogue-effects.ts` does what it asks for, `payment-settlement.ts` keeps and sends outcomes,
  `payment-recovery.ts` finishes them after a power cut. `terminal-display.ts` reads from the machines what is shown

**`scenarios/`**
- `format/` (what a file says)
- `environment/` (who acts, and where)
- `expect/` (what must be true), `record/` (a scenario of what people did)
- `verbs/` (what a step does, and what it requires)
- `run/` (plays scenarios)
- `report/` (results in the window, as JUnit or JSON), `trace/` (a run or a running gateway as one page)
- `threads/` (scenarios over several threads, each with its trace)

**`leading/`**: open `leading.ts` first; `vendors.ts` has the hosts that are led
- `front/` (has the vendor's names, and passes on what it is asked), `hosts/` (a command's own hosts file)
- `proxy/` (leads what it is asked for at these names to the front, and passes on the rest)
- `variables/` (what has programs use these), with `preload/`, which Node loads first

**`cli/mcp/`**: what a coding agent is served; open `mcp.ts` first, then `toolbox.ts`
- `operations.ts` makes tools of the OpenAPI document, `control-tools.ts` says which; `run-tool.ts`, `explore-tool.ts` and the others do more than
  a call. `answer.ts` marks and cuts what they say, `hidden.ts` takes secrets out of it, `inside.ts` keeps paths in the project's folder
- `gateways.ts` has the gateway that they work at, `serve.ts` the protocol

**`explore/`**: open `exploration.ts` first
- `plan/` (what can go wrong at which moment, and how it is set)
- `run/` (one run: a gateway, the command and where it is led, what goes wrong, and what came of it)
- `verdict/` (what became of the money, and why)
- `search/` (which runs are made, and in what order)
- `report/` (for people, programs and CI servers, as a page, as scenarios)

## A payment, end to end

```
 input (request, message, timer, link up or down)     engine.put: in the terminal's turn, one after the other
   └▶ decide(state, input, facts) ─▶ { state', records, effects }    payments/core/lifecycle.ts: pure
        store.commit(guard, records) ─▶ on disk                        all of it or nothing
          └▶ state' is installed, then the effects in order            payments/moving/interpreter.ts
```

`gateway/engine/` owns that loop for everything that moves. A `Moving` tells it where the state is kept, what a decision has to look
up, and which table decides. The inputs of one key take turns, and each is decided on the state that the one before it left.
Effects come after the commit. An effect that is itself an input gets a turn of its own. If the commit is refused, nothing has happened.
If a row was not as the decision saw it, the input is decided again: at most three times, or thirty times for a debit or credit.

`payments/core/lifecycle.ts` is a table. It says what each input does in each state, or why that cannot happen. The core is pure: it has no clock, no
store and no socket, and decides the same on the same facts. The dice of the acquirer are one of these facts. The acquirer's host decides in the same
step as the payment. *Accepted* is on disk before the first byte goes to the terminal. *Concluded* is on disk before the answer. A message is
acknowledged only after its consequences are on disk. A payment that fails is closed at the acquirer in the same commit. If something
is due and cannot be stored, the gateway tries again later and goes on with other inputs. When an input is decided,
everything overdue is decided first, in the same step. The stored outcome of a payment is in no API's form, except in rows that 0.1.0
wrote (`payments/core/outcome.ts`). Only `payments/native-api/` renders it for the payments API.

Debits, refunds and credits move by such tables too. They are `saved-cards/core/lifecycle.ts`, `saved-cards/core/refund-lifecycle.ts`
and `credits/core/lifecycle.ts`. A refund moves in the turns of its debit, and a customer's visit to a payment link in those of its
credit. The state of a debit or credit is read from the database in each turn. A lone gateway keeps the debits that were used last in memory. A
step is committed together with its event. The core returns a refusal as a result, and the services put it into words.
A webhook delivery has a scheduler instead of turns (`webhooks/deliveries.ts`), because seconds of HTTP lie between two of its
commits. `webhooks/lifecycle.ts` is the table of what follows an attempt.

`payments/create-payments.ts` puts the parts together from bottom to top: no part is named before it exists.
Effects, commits and states have names in lists. The crash test kills the gateway at each named effect and commit.

The terminal runs its dialogue in `terminal-emulator/payment/`, as one XState machine. It stores a ServiceID in its memory before it
acknowledges the request, and an outcome before it sends it. It sends the outcome again until that is acknowledged.

## Time, randomness, and what is in flight

`shared/clock.ts` is the only source of time and `shared/random.ts` the only source of randomness. Both are passed in.
Only commands (`cli/`), the console's page and `shared/create-runtime.ts` name the clock and randomness of the system. A `Runtime` has a second clock,
`realClock`, which shows real time even if the first one is virtual. It is used for the limit of a shutdown, frames on the screen and the timestamp of a webhook.

The virtual clock *steps*: it runs one timer, waits until nothing is in flight, then runs the next. `shared/in-flight.ts` counts the
frames on links, the requests being worked on and the writes that are pending. A request that waits for a person, a terminal or a timer is not
in flight. So 150 s pass in milliseconds, over real HTTP and WebSockets. The same seed gives the same order every time.

A skipping clock is a virtual clock that moves by itself. `shared/skipping/next-step.ts` decides whether it moves and to which moment. The decision depends on
which requests wait for time, whether a terminal waits for a person, and how long nothing has happened. Scenarios step by the same rule.

## The journal

Everything that happens is a typed entry (`shared/journal.ts`): requests, messages, state changes, screens, keys,
cards, ledger entries, faults. Log lines, the live stream, the text UI and the tests all read it. Cardholder data is
removed at its source: entries have masked numbers only, and "digit" for a key of a PIN. Text from clients may still contain card numbers
and the secrets of payment links. `shared/masking/` masks them when an entry is read, and in error texts. The data of an entry is made only
when it is read, because most entries never are.

## State

The gateway has one SQLite file, and the terminals of a process have another (their "flash"). Changes are values: a decision
on facts in memory lists them, and the batch is committed as a whole or refused as a whole. Only after the commit is a change true, answered and journaled. The
batches that come up close together share a transaction. After fifty batches a thread writes them. Payments, results and the ledger are only
added to, with time-ordered keys. A payment under way has a row in `open_payments`, which is updated, and deleted when its result is stored.
Rows of refunds, debits, credits and webhook deliveries are updated. A terminal's memory has the payment under way, and the results and reversals not yet
delivered. Decisions that must not overlap take turns in a lane (`shared/lanes.ts`): a lane for each terminal's payments, each debit
with its refunds, each credit and each webhook.

SQL goes through Kysely. Queries use what SQLite and PostgreSQL share, such as `ON CONFLICT` and `RETURNING`. What only SQLite has is
in the files `sqlite*` of `shared/database/`: the driver, its pragmas and the thread that writes. What only PostgreSQL has is in the files `postgres*` there,
in `gateway/cluster/` and in the migrations. One set of tests runs over both databases.

## Several gateways

With `database` in its configuration, a gateway is one of several that share a PostgreSQL database
([why](docs/decisions/0022-many-gateways.md)). The other resources deal with that through five interfaces:
the engine's `Partition` and those that `gateway/one-or-many.ts` lists. A `Partition` says which gateway decides about a key. Any gateway
decides about debits and credits (`anyGateway`). For each interface there is a constant that a lone gateway uses. Only `services.ts` and `index.ts` choose between one and
several. Some code asks the store whether it `isShared`: what keeps debits, payments' keys and webhooks in memory, the server of `/poi`, and the check of a crash.

```
 what a resource asks                      a lone gateway            one of several: gateway/cluster/
 whose key is it?       engine/partition   alone                     payments/owning.ts: an owner and an epoch for each terminal
 who runs payments?     payments/running   runAllPayments            payments/: accepted anywhere, handed to the owner
 who does what is due?  engine/duties      everyDuty                 leases.ts: one gateway for each kind of work, for seconds
 who else must know?    engine/copies      onlyCopies                change-feed.ts: changes of other gateways come into memory
 who else makes events? events/live-events none                      hints/: told over NATS at once, or found within a second
```

Each terminal belongs to one gateway, the one that it dialled last (`gateway/cluster/ownership.ts`). Every batch of that terminal names the epoch of the owner's row, and
the database refuses the batch once another gateway has taken the terminal. In `gateway/cluster/payments/`, `owning.ts` takes terminals and lets
them go. `accept-elsewhere.ts` accepts payments on terminals of other gateways. `sweeps.ts` and `elsewhere.ts` look into the database each second
for what a lost message should have told, so nothing relies on NATS. Debits, credits and settings are decided at any
gateway: a batch names the version of the row that the decision saw. A gateway on SQLite loads none of `gateway/cluster/`, except the check of NATS addresses.
