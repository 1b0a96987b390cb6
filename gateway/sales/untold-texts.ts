/** The message about a payment that charged the customer although the POS has not received the result (B241). */
export const untoldChargeText =
  'the customer was charged, and the payment ended more than 60 s ago, but the POS has not received the outcome. No payment request, status request or request for the latest payment got a complete 200 answer, and no event with the outcome was acknowledged';

/** The message about a payment that gave money back although the POS has not received the result (B511). */
export const untoldGivenBackText =
  'money was given back to the customer more than 60 s ago, but the POS has not received a complete answer with the outcome';
