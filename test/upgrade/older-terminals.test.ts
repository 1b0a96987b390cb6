import { describe, expect, onTestFinished } from 'vitest';
import { Till } from '../../gateway/dialects/adyen/till.fixture.ts';
import { resolveConfig, startStack } from '../../stack/index.ts';
import { hasOlderRelease, startOlderTerminals } from '../older-release.ts';
import { testThoroughly } from '../optional-programs.ts';

const testInCi = testThoroughly();

/** Tests a terminal of an older release at a gateway of this release. The older terminal knows only payments. */
describe.runIf(hasOlderRelease())('a terminal of an older release', () => {
  testInCi(
    'gives nothing back: each request is refused with a reason, and payments continue (B493, B496)',
    async () => {
      const config = { port: 0, memory: true, pacing: 'instant', adyen: true } as const;
      const stack = await startStack(resolveConfig(undefined, config));
      onTestFinished(() => stack.close());
      const { url, controlToken } = stack;
      const { terminals } = await startOlderTerminals([
        ...['--gateway', url, '--control-token', controlToken, '--count', '1'],
        ...['--pacing', 'instant', '--auto', 'visa-credit'],
      ]);
      const control = (path: string) =>
        fetch(`${url}/control/${path}`, { headers: { authorization: `Bearer ${controlToken}` } });
      const poiId = terminals[0]?.poiId;
      const isConnected = async () => {
        const all = (await (await control('terminals')).json()) as { poiId: string; connected: boolean }[];
        return all.some((each) => each.poiId === poiId && each.connected);
      };
      const connected = () => expect.poll(isConnected, { timeout: 60_000 }).toBe(true);
      await connected();
      const token = stack.tokens[0]?.token ?? '';
      const till = new Till({ url, token }, token, poiId);
      const paid = (await till.pay('1', 25)).body.SaleToPOIResponse.PaymentResponse;
      expect(paid.Response.Result).toBe('Success');

      const reversed = await till.reverse('2', paid.POIData.POITransactionID.TransactionID);
      const { Response } = reversed.body.SaleToPOIResponse.ReversalResponse;
      expect(Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'UnavailableService' });
      expect(decodeURIComponent(Response.AdditionalResponse)).toContain('its software is an older release');
      await connected();
      const refund = { payment: { PaymentData: { PaymentType: 'Refund' } } };
      const refunded = (await till.pay('3', 5, refund)).body.SaleToPOIResponse.PaymentResponse;
      expect(refunded.Response).toMatchObject({ Result: 'Failure', ErrorCondition: 'NotAllowed' });

      const again = (await till.pay('4', 5)).body.SaleToPOIResponse.PaymentResponse;
      expect(again.Response.Result).toBe('Success');
      expect(await (await control('books')).json()).toMatchObject({ agree: true, open: 0, payments: 4 });
    },
  );
});
