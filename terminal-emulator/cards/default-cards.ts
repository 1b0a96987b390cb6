import { z } from 'zod';
import { type TestCardDefinition, testCardSchema } from '../../shared/emulator/cards.ts';
import brands from './default/brands.json' with { type: 'json' };
import declines from './default/declines.json' with { type: 'json' };
import trouble from './default/trouble.json' with { type: 'json' };
import verification from './default/verification.json' with { type: 'json' };

/**
 * The cards with which every emulator starts; docs/cards.md lists them. Their numbers are published by card schemes,
 * acquirers and gateways for testing. The first card can be presented in every way.
 */
export const defaultCards: readonly TestCardDefinition[] = z
  .array(testCardSchema)
  .parse([...brands, ...verification, ...trouble, ...declines]);
