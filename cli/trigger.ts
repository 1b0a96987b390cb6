import { Command } from 'commander';
import { eventDescriptions } from '../gateway/index.ts';
import { makePrintable } from '../shared/printable.ts';
import { triggerableEvents, triggerEvent, withGatewayErrorsExplained } from '../stack/index.ts';
import { type AttachFlags, addAttachOptions, findRunningGateway } from './attached-gateway.ts';
import { parseAmount } from './options.ts';

export function makeTriggerCommand(): Command {
  const width = Math.max(...triggerableEvents.map((event) => event.length));
  const events = triggerableEvents.map((event) => `  ${event.padEnd(width)}  ${eventDescriptions[event]}`);
  const command = new Command('trigger')
    .description(
      'Produces an event by doing what causes it. For a failed refund, for example, it charges a card, refunds the charge and lets the bank reject the refund. ' +
        'If other events must happen before the event that you name, the command also produces those events.',
    )
    .argument('[event]', 'the event; without it, all events are listed')
    .option('--account <id>', 'the account; without it, the first account that allows this event')
    .option('--amount <amount>', 'in major units', parseAmount, 10)
    .addHelpText('after', `\nEvents:\n${events.join('\n')}`);
  return addAttachOptions(command).action(
    async (event: string | undefined, flags: AttachFlags & { account?: string; amount: number }) => {
      if (event === undefined) return console.log(events.join('\n'));
      const gateway = findRunningGateway(flags);
      const { account: accountId, amount } = flags;
      const done = await withGatewayErrorsExplained(gateway, () =>
        triggerEvent(gateway, event, { accountId, amount }),
      );
      console.log(makePrintable(`${event}  ${done.resourceId}  account ${done.accountId}`));
    },
  );
}
