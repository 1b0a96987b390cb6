/** The text of the rule about results that the POS has not received, for a payment that charged the customer (B241). */
export const untoldChargeText =
  'the customer was charged, and for more than 60 s after the end the POS has not received the outcome: no complete 200 to the payment request, status or latest was sent, and no event with the outcome was acknowledged';

/** The text of the rule about results that the POS has not received, for a payment that gave money back (B511). */
export const untoldGivenBackText =
  'money was given back to the customer, and for more than 60 s after the end the POS has not received a complete answer with the outcome';
