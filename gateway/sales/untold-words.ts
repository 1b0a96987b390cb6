/** The rule of B241, in words. */
export const untoldWhy =
  'the customer was charged, and for more than 60 s after the end no 200 to the payment request, status or latest with its outcome, and no event that was acknowledged, was given whole to the network';

/** The rule for a payment that gave money back (B511), in words. */
export const untoldBackWhy =
  'money was given back to the customer, and for more than 60 s after the end no answer with its outcome was given whole to the network';
