import { createEmvCard, type EmvCard } from './emulators/emv-card.ts';
import type { EmvApplicationDefinition, EmvCardDefinition } from './emulators/emv-card-definition.ts';

/** The application of the card in the reference manual's examples. */
export const visaApplication: EmvApplicationDefinition = {
  aid: 'A0000000031010',
  label: 'VISA CREDIT',
  priority: 1,
  gpo: 'format2',
  pan: '4761739001010010',
  expiry: '271231',
  serviceCode: '201',
  country: '840',
};

export const visaDefinition: EmvCardDefinition = {
  id: 'visa',
  applications: [visaApplication],
  pse: true,
  ppse: true,
  protocol: 'T=0',
  uid: '08DEAD01',
};

export function visaCard(
  changes: Partial<EmvApplicationDefinition> = {},
  protocol: EmvCardDefinition['protocol'] = 'T=0',
): EmvCard {
  return createEmvCard({ ...visaDefinition, protocol, applications: [{ ...visaApplication, ...changes }] });
}
