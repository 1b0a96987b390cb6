import { z } from 'zod';
import packageJson from '../package.json' with { type: 'json' };
import { controlEndpoints } from './control/endpoints.ts';
import type { ControlParts } from './control/parts.ts';
import { payPageEndpoints } from './credits/page/pay-endpoints.ts';
import { creditEndpoints } from './credits/routes.ts';
import { docsPageEndpoints } from './docs-page/routes.ts';
import { type AnyEndpoint, endpoint } from './http/endpoint.ts';
import { openapiDocument as documentOf } from './http/openapi.ts';
import { paymentEndpoints } from './payments/routes.ts';
import { refundEndpoints } from './refunds/routes.ts';
import { debitEndpoints } from './saved-cards/routes.ts';
import { terminalEndpoints } from './terminals/routes.ts';

const tags = [
  { name: 'Terminals', description: 'The card terminals of the account' },
  { name: 'Terminal payments', description: 'Card-present payments on a terminal' },
  { name: 'Saved cards', description: 'Charging, preauthorizing and capturing saved credit cards' },
  { name: 'Refunds', description: 'Returning money of debits to the customer' },
  { name: 'Payment links', description: 'Sending money to a customer, who claims it at a link' },
  { name: 'Control: overview', description: 'The gateway at a glance' },
  { name: 'Control: provisioning', description: 'Accounts, API tokens, stores and terminals' },
  {
    name: 'Control: terminals',
    description:
      'What a shopper or operator does at an emulated terminal: cards, keys, power, network, screen',
  },
  { name: 'Control: cards', description: 'The tray of test cards' },
  { name: 'Control: outcomes', description: "What the acquirer host's answers are chosen by" },
  { name: 'Control: faults', description: 'Requests and answers that get lost, late or broken' },
  { name: 'Control: payments', description: 'Payments explained, and the two books' },
  {
    name: 'Control: saved cards',
    description: 'Contacts with their saved cards, bank accounts, debits and refunds',
  },
  { name: 'Control: payment links', description: 'Credits, and what a test does to them' },
  { name: 'Control: events', description: 'What is sent to webhooks' },
  { name: 'Control: webhooks', description: 'Where events go, and every attempt to send them there' },
  { name: 'Control: clock', description: 'Reading time and, where it is virtual, moving it' },
  { name: 'Control: journal', description: 'Everything that happened and happens' },
  { name: 'Description', description: 'This document' },
];

const description = `Card-present payments on emulated terminals, charges of saved cards, refunds and payment links, for developers of
point-of-sale software.

Everything under \`/control\` is the test bench around it: provisioning, actions at the terminal, outcomes, time, and
what happened. It takes the control token; the rest takes an API token of an account.`;

/** Every endpoint of the gateway, its description among them. */
export function allEndpoints(payments: readonly AnyEndpoint[], parts: ControlParts): AnyEndpoint[] {
  const all = [...payments, ...controlEndpoints(parts), ...docsPageEndpoints()];
  let served: string | undefined;
  const itself: AnyEndpoint = endpoint({
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenapi',
    tag: 'Description',
    guard: 'open',
    summary: 'This document',
    journaled: 'nothing',
    responses: {
      200: { description: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) },
    },
    handle: async () => {
      served ??= JSON.stringify(describe([...all, itself], parts.url()));
      return { status: 200, text: served };
    },
  });
  return [...all, itself];
}

/** The OpenAPI 3.1 document, as a gateway at `url` serves it. */
export function openapiDocument(url?: string): object {
  // Descriptions do not touch what their handlers will work with, so nothing has to run for the document.
  const nothing = {} as never;
  const endpoints = [
    ...terminalEndpoints(nothing),
    ...paymentEndpoints(nothing),
    ...debitEndpoints(nothing),
    ...refundEndpoints(nothing),
    ...creditEndpoints(nothing, nothing),
    ...payPageEndpoints(nothing),
  ];
  return describe(allEndpoints(endpoints, nothing), url);
}

function describe(endpoints: readonly AnyEndpoint[], serverUrl: string | undefined) {
  const { version } = packageJson;
  return documentOf(endpoints, { title: 'pinpad', version, description, tags, serverUrl });
}
