import { z } from 'zod';
import { ApiError } from '../http/errors.ts';
import type { Terminal } from '../terminals/directory.ts';
import type { TerminalService } from '../terminals/service.ts';

export const terminalParamsSchema = z.object({
  terminalId: z.string().meta({
    description: "The terminal's identifier (UUID) or its poi_id",
    example: 'V400m-100000001',
  }),
});

/**
 * Gives the terminal that a path of the control API names.
 *
 * @throws ApiError terminalNotFound
 */
export function requireTerminal(terminals: TerminalService, id: string): Terminal {
  const terminal = terminals.byId(id) ?? terminals.byPoiId(id);
  if (!terminal) throw new ApiError('terminalNotFound', { message: `Terminal ${id} does not exist` });
  return terminal;
}
