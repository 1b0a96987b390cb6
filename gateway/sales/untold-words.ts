/** The rule of B241, in words. */
export const untoldWhy =
  'the customer was charged, and for more than 60 s after the end no answer with the outcome (a 200 to the payment request, status or latest) was sent in full, and no event with it was acknowledged';

/** The rule for a payment that gave money back (B511), in words. */
export const untoldBackWhy =
  'money was given back to the customer, and for more than 60 s after the end no answer with its outcome was sent in full';
