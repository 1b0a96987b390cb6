import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DialectRequestMeaning } from '../../shared/dialect-meaning.ts';
import type { EntrySubject, InjectedFault } from '../../shared/journal.ts';
import type { ReadableBodyText } from '../../shared/journal-size.ts';
import { maskAndTruncate } from '../../shared/masking/card-numbers.ts';
import { maskRequestTarget } from '../../shared/masking/shown-target.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { findCardNumberPaths } from './card-number-paths.ts';
import type { ErrorFormatter, RequestFailure } from './dialect.ts';
import { type Answer, type AnyEndpoint, HungUpError } from './endpoint.ts';
import { ApiError } from './errors.ts';
import { logAndMakeServerError } from './gateway-error.ts';
import { answerBodyForJournal } from './journaled-body.ts';
import { answerHeadersForJournal, hasContentType, requestHeadersForJournal } from './journaled-headers.ts';
import { formatJsonLine } from './json-line.ts';
import type { AnswerReceiver, ReadyAnswer } from './ready-answer.ts';
import type { ReceivedBody } from './received-body.ts';
import type { RequestDuplicator } from './request-duplicator.ts';
import { takeOrMakeRequestId } from './request-id.ts';
import { sealAnswerTextIfNeeded } from './text-for-client.ts';
import { VirtualTimeReporter } from './virtual-time-reporter.ts';
import { WhitespaceKeepAlive } from './whitespace-keep-alive.ts';
import { withDeadline } from './with-deadline.ts';
import { writePieces, writeStream } from './write-response.ts';

const unknownOutcomeMessage =
  'The gateway cannot store data at present, and does not know whether this request was carried out: check this before you send the request again';

interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly runtime: Runtime;
  readonly copies: RequestDuplicator;
  /** The number of the connection on which the request came. */
  readonly connection: number | undefined;
  /** Called when the connection is no longer used for this exchange. */
  readonly ended: () => void;
}

/** One request and its answer, with its journal entries. Only this class writes to the response. */
export class Exchange {
  readonly requestId: string;
  readonly method: string;
  /** The time at which the request arrived, in milliseconds of the monotonic clock. */
  readonly arrivedAt: number;
  /** The path and the query, without secrets. */
  readonly path: string;
  journaled: NonNullable<AnyEndpoint['journaled']> = 'all';
  /** Whether the request has a token that is valid here. */
  authenticated = false;
  /** The account to which the token belongs. */
  accountId: string | undefined;
  /** Receives the answer instead of the client. It is set if a fault of a test affects the answer. */
  answerReceiver: AnswerReceiver | undefined;
  /** The identifier of the original request. It is set only if the gateway sent this request as a copy. */
  readonly copyOf: string | undefined;
  /** Writes errors in the form of the request's API. It is set only if that API is not the native API. */
  errorForm: ErrorFormatter | undefined;
  /** Encrypts the bodies of answers with status 200. The journal gets these bodies unencrypted. */
  seal: ((text: string) => string) | undefined;
  /** Whether the gateway shuts down. If so, the connection is closed after this answer. */
  isClosing = false;
  readonly time: VirtualTimeReporter;
  #parts: ExchangeParts;
  #isOver = false;
  #received = false;
  /** True while an answer is being sent, until the network has accepted the whole answer. */
  #sending = false;
  #json: unknown;
  #keepAlive: WhitespaceKeepAlive | undefined;
  #aborting: AbortController | undefined;
  #abortedFor: Error | undefined;

  constructor(parts: ExchangeParts) {
    const { request, response, runtime, ended } = parts;
    this.#parts = parts;
    this.time = new VirtualTimeReporter(request, runtime);
    this.arrivedAt = runtime.clock.monotonic();
    this.requestId = takeOrMakeRequestId(request, runtime.identifiers);
    this.copyOf = parts.copies.arrived(this.requestId);
    this.time.arrived(this.requestId);
    this.method = request.method ?? '';
    this.path = maskAndTruncate(maskRequestTarget(request.url ?? ''), 2048);
    response.on('finish', () => {
      this.#noteSent(true);
      this.time.leaves(this.requestId);
      this.time.done();
    });
    response.on('close', () => {
      this.#noteSent(false);
      if (!response.writableFinished && !this.#isOver) this.#hungUp();
      this.#isOver = true;
      this.#keepAlive?.stop();
      this.time.leaves(this.requestId);
      this.time.ended();
      ended();
    });
    response.on('error', () => {}); // after an error, the event `close` always follows
  }

  get request(): IncomingMessage {
    return this.#parts.request;
  }

  get response(): ServerResponse {
    return this.#parts.response;
  }

  get runtime(): Runtime {
    return this.#parts.runtime;
  }

  get copies(): RequestDuplicator {
    return this.#parts.copies;
  }

  /** Whether the request was answered or its connection has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Aborts if the client hangs up or the gateway shuts down, and gives the reason. The signal is made at first use. */
  get signal(): AbortSignal {
    this.#aborting ??= new AbortController();
    if (this.#abortedFor) this.#aborting.abort(this.#abortedFor);
    return this.#aborting.signal;
  }

  abort(reason: Error): void {
    this.#abortedFor ??= reason;
    this.#aborting?.abort(this.#abortedFor);
  }

  /**
   * Resolves with the result of `work`.
   * @throws ApiError unavailable if the work takes longer than the time limit of a payment, because the database hangs
   * (B68)
   */
  inTime<Result>(work: Promise<Result>): Promise<Result> {
    const { clock, timeouts } = this.#parts.runtime;
    return withDeadline(clock, this.arrivedAt + timeouts.paymentCapMs, work, unknownOutcomeMessage);
  }

  /** Gives the subject of the journal entries that this exchange writes. */
  get about(): EntrySubject {
    return { unauthenticated: !this.authenticated };
  }

  /** Sends white space at intervals until the answer is sent, so that the client goes on waiting (B451). */
  keepAwake(): void {
    if (this.#isOver) return;
    const { response, runtime } = this.#parts;
    const headers = this.#headers({ status: 200, headers: { 'Content-Type': 'application/json' } });
    this.#keepAlive ??= new WhitespaceKeepAlive(response, runtime.realClock, headers);
  }

  /** Writes the request into the journal once, when its body is known or when the request is answered. */
  received(body?: ReceivedBody, asks?: DialectRequestMeaning): void {
    this.#json ??= body?.json;
    if (this.#received || this.journaled === 'nothing') return;
    this.#received = true;
    const { runtime, connection } = this.#parts;
    const headers = requestHeadersForJournal(this.request.headers);
    const shown = this.journaled === 'all' ? body : undefined;
    const { accountId } = this;
    const entry = {
      ...this.#requestFields(),
      ...(connection !== undefined && { connection }),
      ...(headers && { headers }),
      ...(accountId !== undefined && { accountId }),
      ...(asks && { asks }),
      ...(this.copyOf !== undefined && { copyOf: this.copyOf }),
    };
    runtime.journal.add('http.received', entry, this.about, shown);
    const paths = findCardNumberPaths(this.path, headers, shown?.json);
    if (paths.length > 0)
      runtime.journal.add('request.cardNumber', { requestId: this.requestId, paths }, this.about);
  }

  async answer(answer: Answer): Promise<void> {
    if (this.#isOver) return; // the client has hung up
    this.#keepAlive?.stop();
    if (answer.stream) return this.#stream(answer, answer.stream);
    if (answer.pieces) return this.#inPieces(answer, answer.pieces);
    this.#send(answer, answer.text ?? (answer.body === undefined ? '' : formatJsonLine(answer.body)));
  }

  /** Answers with an error (B114). All errors are answered by this function. */
  fail(error: unknown): void {
    if (error instanceof HungUpError) return void this.#parts.response.destroy();
    const known = error instanceof ApiError ? error : logAndMakeServerError(error, (said) => this.warn(said));
    this.#keepAlive?.stop();
    const begun = this.#parts.response.headersSent && !this.#keepAlive?.begun;
    if (this.#isOver || begun) return void this.#parts.response.destroy();
    const answer = this.refusal(known);
    this.#send(answer, answer.text ?? formatJsonLine(answer.body));
  }

  /** Makes the answer for an error, in the form of the request's API. */
  refusal(error: RequestFailure & Pick<ApiError, 'envelope'>): Answer {
    const { errorForm, requestId } = this;
    if (errorForm)
      return errorForm(error, { requestId, begun: this.#keepAlive?.begun === true, body: this.#json });
    return { status: error.status, body: error.envelope, headers: error.headers };
  }

  #send(answer: Answer, text: string): void {
    const { answerReceiver } = this;
    if (!answerReceiver) return this.write(answer, text);
    this.answerReceiver = undefined;
    void this.#handTo(answerReceiver, { answer, text });
  }

  async #handTo(receiver: AnswerReceiver, sent: ReadyAnswer): Promise<void> {
    try {
      await receiver(sent);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Breaks the connection without an answer. So the client cannot know what the gateway has done. */
  drop(): void {
    this.#isOver = true;
    this.#parts.response.destroy();
  }

  /** Writes into the journal that a fault affected this request. If `sent` is given, it is the affected answer. */
  journalFault(fault: InjectedFault, sent?: ReadyAnswer): void {
    if (this.journaled === 'nothing') return; // the path may contain a secret
    const entry = { ...fault, ...this.#requestFields(), ...(sent && { status: sent.answer.status }) };
    const body = sent && this.#bodyOf(sent.answer, sent.text);
    this.#parts.runtime.journal.add('fault.injected', entry, this.about, body);
  }

  /** Sends a whole answer, unless the client has hung up. */
  write(answer: Answer, text: string): void {
    if (this.#isOver) return;
    const sent = sealAnswerTextIfNeeded(answer, text, this.seal);
    const bytes = this.#writeHead(answer, sent);
    this.#isOver = true;
    const { response } = this.#parts;
    // ASCII is written as latin1, because for UTF-8 Node would read the text two more times.
    response.end(sent, bytes === sent.length ? 'latin1' : 'utf8');
    const whole = response.socket?.destroyed === false && response.writableLength === 0;
    this.#noteAnswered(answer, text, { bytes, whole });
  }

  /** Sends the head of an answer, and gives the body. The caller must send the body. */
  begin(answer: Answer, text: string): Buffer {
    const sent = sealAnswerTextIfNeeded(answer, text, this.seal);
    if (!this.#isOver) {
      const bytes = this.#writeHead(answer, sent);
      this.#parts.response.flushHeaders();
      this.#noteAnswered(answer, text, { bytes, whole: false });
    }
    return Buffer.from(this.method === 'HEAD' ? '' : sent);
  }

  #writeHead(answer: Answer, text: string): number {
    const bytes = Buffer.byteLength(text);
    if (this.#keepAlive?.begun) return bytes;
    const headers = this.#headers(answer);
    if (answer.status !== 204) headers['Content-Length'] = String(bytes);
    if (text !== '' && !hasContentType(headers)) headers['Content-Type'] = 'application/json';
    this.#parts.response.writeHead(answer.status, headers);
    return bytes;
  }

  async #stream(answer: Answer, run: NonNullable<Answer['stream']>): Promise<void> {
    const response = this.#parts.response;
    response.writeHead(answer.status, { ...this.#headers(answer), 'Cache-Control': 'no-store' });
    response.flushHeaders();
    this.#noteAnswered(answer, '');
    this.time.leaves(this.requestId);
    // The answer to a HEAD request is complete after its headers. The connection may then carry another request.
    if (this.method === 'HEAD') return void response.end();
    this.time.done();
    await writeStream(response, (output) => run(output, this.signal));
  }

  async #inPieces(answer: Answer, pieces: Iterable<string>): Promise<void> {
    const { response } = this.#parts;
    response.writeHead(answer.status, { ...this.#headers(answer), 'Content-Type': 'application/json' });
    this.#noteAnswered(answer, '');
    await writePieces(response, this.method === 'HEAD' ? [] : pieces);
  }

  #headers(answer: Answer): Record<string, string> {
    const headers: Record<string, string> = { 'Request-Id': this.requestId, ...answer.headers };
    if (this.isClosing) headers.Connection = 'close';
    return headers;
  }

  /** Writes the answer into the journal. If `whole` is true, the network has accepted the whole answer (B239). */
  #noteAnswered(answer: Answer, text: string, sent?: { bytes: number; whole: boolean }): void {
    this.received();
    // If this request is a copy that the gateway itself has sent, the answer reaches no client.
    const whole = this.copyOf === undefined ? sent?.whole : undefined;
    this.#sending = whole === false;
    if (this.journaled === 'nothing') return;
    const headers = answerHeadersForJournal(answer, text);
    const entry = {
      ...this.#requestFields(),
      status: answer.status,
      ...(headers && { headers }),
      durationMs: Math.round(this.#parts.runtime.clock.monotonic() - this.arrivedAt),
      ...(whole !== undefined && { whole }),
      ...(answer.outcomeOf !== undefined && { outcomeOf: answer.outcomeOf }),
      ...(answer.means && { means: answer.means }),
    };
    this.#parts.runtime.journal.add(
      'http.answered',
      entry,
      this.about,
      this.#bodyOf(answer, text, sent?.bytes),
    );
  }

  /** Called when the network has accepted the rest of an answer, or when the connection has broken before that. */
  #noteSent(whole: boolean): void {
    if (!this.#sending) return;
    this.#sending = false;
    if (this.journaled === 'nothing') return;
    this.#parts.runtime.journal.add('http.sent', { ...this.#requestFields(), whole }, this.about);
  }

  #bodyOf(answer: Answer, text: string, bytes?: number): ReadableBodyText | undefined {
    return this.journaled === 'all' ? answerBodyForJournal(answer, text, bytes) : undefined;
  }

  #hungUp(): void {
    this.abort(new HungUpError());
    if (this.journaled === 'nothing') return;
    this.received();
    this.#parts.runtime.journal.add('http.hungUp', this.#requestFields(), this.about);
  }

  warn(what: string): void {
    const path = this.journaled === 'nothing' ? '' : ` ${this.path}`;
    const message = `${this.requestId} ${this.method}${path}: ${what}`;
    this.runtime.journal.add('warning', { message }, this.about);
  }

  #requestFields() {
    return { method: this.method, path: this.path, requestId: this.requestId };
  }
}
