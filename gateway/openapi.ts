import packageJson from '../package.json' with { type: 'json' };
import { controlEndpointMakers } from './control/endpoints.ts';
import type { AnyEndpoint } from './http/endpoint.ts';
import { makeOpenapiDocument as documentOf } from './http/openapi.ts';
import { makeOpenapiEndpoint } from './openapi-endpoint.ts';
import { nonControlEndpointMakers } from './resources.ts';
import type { Services } from './services.ts';

const tags = [
  { name: 'Terminals', description: 'The card terminals of the account' },
  { name: 'Terminal payments', description: 'Card-present payments on a terminal' },
  { name: 'Saved cards', description: 'Charging, preauthorizing and capturing saved credit cards' },
  { name: 'Refunds', description: 'Refunds of debits to the customer' },
  { name: 'Payment links', description: 'Sending money to a customer, who claims it at a link' },
  { name: 'Control: overview', description: 'A short overview of the gateway' },
  { name: 'Control: provisioning', description: 'Accounts, API tokens, stores and terminals' },
  {
    name: 'Control: terminals',
    description:
      'What a shopper or operator does at an emulated terminal: cards, keys, power, network, screen',
  },
  { name: 'Control: cards', description: 'The tray of test cards' },
  { name: 'Control: outcomes', description: "The rules that choose the acquirer host's answers" },
  { name: 'Control: faults', description: 'Lost, late and failed requests and answers' },
  { name: 'Control: moments', description: 'Actions that happen at a named moment of a payment' },
  { name: 'Control: sales', description: 'The sales that points of sale tried to make, and their outcomes' },
  {
    name: 'Control: payments',
    description:
      "Payments with their explanations, the acquirer's ledger, and the comparison of the ledger with the amounts reported to the POS",
  },
  {
    name: 'Control: saved cards',
    description: 'Contacts with their saved cards, bank accounts, debits and refunds',
  },
  {
    name: 'Control: payment links',
    description: 'Payment links, and calls with which a test changes payment links',
  },
  { name: 'Control: events', description: 'The messages sent to webhooks' },
  {
    name: 'Control: webhooks',
    description: 'The receivers of events, and every attempt to deliver an event',
  },
  { name: 'Control: clock', description: 'The time and, with a virtual clock, calls that advance it' },
  { name: 'Control: journal', description: 'Everything that happens, as entries of a journal' },
  { name: 'Health', description: 'The health check for load balancers' },
  { name: 'Description', description: 'This document' },
];

const description = `Card-present payments on emulated terminals, charges of saved cards, refunds and payment links, for developers of
point-of-sale software.

Tests use the calls under \`/control\`, which provision accounts, act at terminals, choose outcomes, move the time,
and show what happened. Calls under \`/control\` need the control token; the payments API needs an API token of
an account.`;

/** Gives the endpoints of all resources, including the endpoint of the OpenAPI document. */
export function makeAllResources(services: Services): (readonly AnyEndpoint[])[] {
  const all = [...nonControlEndpointMakers, ...controlEndpointMakers].map((resource) => resource(services));
  return [...all, [makeOpenapiEndpoint(async () => makeGatewayOpenapiDocument(services.address.url))]];
}

/** Makes the OpenAPI 3.1 document in the form in which a gateway at `url` serves it. */
export function makeGatewayOpenapiDocument(url?: string): object {
  // The descriptions of the endpoints depend on no service. So the document can be made without a running gateway.
  const endpoints = makeAllResources({} as never).flat();
  const { version } = packageJson;
  return documentOf(endpoints, { title: 'pinpad', version, description, tags, serverUrl: url });
}
