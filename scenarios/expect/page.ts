import { describeDifferences, type ExpectationCheck } from './expectation.ts';

/**
 * Checks the page of a payment link that the customer sees. The expectation is a text that the page contains, or
 * parts of the page (status, title, text).
 */
export const checkPage: ExpectationCheck<string | Record<string, unknown>> = async (
  { customer },
  expected,
) => {
  const { page } = customer;
  const wanted = typeof expected === 'string' ? { text: { contains: expected } } : expected;
  return {
    wrong: describeDifferences('page', wanted, page),
    saw: `the page (${page.status}): ${page.text}`,
    final: true,
  };
};
