/** A user's own card as `POST /control/cards` takes it. Its payments are approved. */
export const ownCard = {
  id: 'mine',
  label: 'Mine',
  number: '4000000000000002',
  expiry: '1230',
  country: '528',
  funding: 'credit',
  applications: [{ aid: 'A0000000031010', label: 'Visa Credit', brand: 'visa' }],
  chip: { verification: 'none' },
};
