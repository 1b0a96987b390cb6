import { differenceLines, type ExpectationCheck } from './expectation.ts';

/** Checks the customer's page of a payment link: a text that it contains, or its parts (status, title, text). */
export const checkPage: ExpectationCheck<string | Record<string, unknown>> = async (
  { customer },
  expected,
) => {
  const { page } = customer;
  const wanted = typeof expected === 'string' ? { text: { contains: expected } } : expected;
  return {
    wrong: differenceLines('page', wanted, page),
    saw: `the page (${page.status}): ${page.text}`,
    final: true,
  };
};
