import { expect, onTestFinished, test } from 'vitest';
import { createRuntime } from '../../shared/create-runtime.ts';
import { MomentPlans, makePowerCutPlan } from '../../shared/moment-plans.ts';
import { sampleOrder } from '../payment/payment-harness.fixture.ts';
import { makeFailureResponse } from '../payment/payment-response.ts';
import { makeTerminalIdentity } from '../payment/terminal-identity.ts';
import { TerminalMemory } from './memory.ts';
import { PaymentSettler } from './payment-settlement.ts';
import { PlannedFaultTrigger } from './terminal-moments.ts';
import { VolatileState } from './volatile-state.ts';

const poiId = 'V400m-100000001';

/** Stores outcomes in a real memory, and records the order in which outcomes are stored, sent and reversed. */
async function settlementHarness(cutAt?: 'approvalReceived' | 'resultStored') {
  const runtime = createRuntime({ clock: 'virtual' });
  const memory = await TerminalMemory.open(':memory:', runtime);
  onTestFinished(() => memory.close());
  await memory.begin(poiId, sampleOrder.sale);
  const volatile = new VolatileState({ broke: () => {} });
  const done: string[] = [];
  const plans = new MomentPlans();
  if (cutAt) plans.set(makePowerCutPlan(poiId, { at: cutAt, mode: 'once' }));
  const settlement = new PaymentSettler({
    poiId,
    memory,
    volatile,
    progress: {
      holdDuring: async (written) => {
        const result = await written;
        done.push('stored');
        return result;
      },
    },
    outbox: { put: () => done.push('sent') },
    host: { reverse: ({ reason }) => done.push(`reversed: ${reason}`) },
    moments: new PlannedFaultTrigger(
      { poiId, plans, runtime },
      {
        hasPower: () => true,
        cut: () => {
          volatile.lose();
          done.push('cut');
        },
      },
    ),
  });
  const known = async () => (await memory.find(poiId, sampleOrder.sale.serviceId)).state;
  return { settlement, volatile, done, known };
}

const declined = makeFailureResponse({
  sale: sampleOrder.sale,
  reason: 'hostSilent',
  terminal: makeTerminalIdentity(poiId),
  at: 0,
});
const approved = { ...declined, Response: { Result: 'Success' as const } };

test('an outcome is stored before it is sent, and reversed at the host after that (B64)', async () => {
  const { settlement, done, known } = await settlementHarness();
  const reversal = { attemptId: 'a1', reason: 'Timeout' } as const;
  await settlement.settle({ sale: sampleOrder.sale, response: declined, reversal });
  expect(done).toEqual(['stored', 'sent', 'reversed: Timeout']);
  expect(await known()).toBe('concluded');
});

test('if the power goes while an outcome is stored, nothing is sent, and the next boot finds it', async () => {
  const { settlement, volatile, done, known } = await settlementHarness();
  const settled = settlement.settle({ sale: sampleOrder.sale, response: declined });
  volatile.lose();
  await settled;
  expect(done).toEqual(['stored']);
  expect(await known()).toBe('concluded');
});

test('a power cut set for a stored approval comes before the approval is sent (B171)', async () => {
  const { settlement, done, known } = await settlementHarness('resultStored');
  await settlement.settle({ sale: sampleOrder.sale, response: approved });
  expect(done).toEqual(['stored', 'cut']);
  expect(await known()).toBe('concluded');
});

test('a power cut set for a received approval comes before it is stored, and neither cut comes at a decline (B171)', async () => {
  const { settlement, done, known } = await settlementHarness('approvalReceived');
  await settlement.settle({ sale: sampleOrder.sale, response: declined });
  expect(done).toEqual(['stored', 'sent']);
  const other = await settlementHarness('approvalReceived');
  await other.settlement.settle({ sale: sampleOrder.sale, response: approved });
  expect(other.done).toEqual(['cut']);
  expect([await known(), await other.known()]).toEqual(['concluded', 'underWay']);
});
