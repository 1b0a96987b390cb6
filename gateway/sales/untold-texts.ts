/** The text of the rule about results that the POS has not received, for a payment that charged the customer (B241). */
export const untoldChargeText =
  'the customer was charged, and the payment ended more than 60 s ago, but the POS has not received the outcome. No payment, status or latest request got a complete 200 answer, and no event with the outcome was acknowledged';

/** The text of the rule about results that the POS has not received, for a payment that gave money back (B511). */
export const untoldGivenBackText =
  'money was given back to the customer more than 60 s ago, but the POS has not received a complete answer with the outcome';
