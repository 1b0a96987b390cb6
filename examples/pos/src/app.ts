import express, { type Express } from 'express';
import type { Sales } from './sales.ts';

/** The POS's own HTTP interface, for the screen the cashier sees. */
export function createPosApp(sales: Sales): Express {
  const app = express();
  app.use(express.json());

  // The answer does not wait for the payment. While the customer pays, the cashier's screen shows the sale and a button
  // that cancels the sale.
  app.post('/sales', (request, response) => {
    const { amount, tip } = request.body ?? {};
    if (typeof amount !== 'number' || !(amount > 0))
      return void response.status(400).json({ message: 'amount must be a number above 0' });
    const sale = sales.open(amount, { tip: tip === true });
    response.status(201).location(`/sales/${sale.id}`).json(sale);
  });

  // With ?settled, the answer waits until the outcome of the sale is known.
  app.get('/sales/:id', async (request, response) => {
    const { id } = request.params;
    const sale = 'settled' in request.query ? await sales.settled(id) : sales.get(id);
    if (sale) response.json(sale);
    else response.sendStatus(404);
  });

  app.post('/sales/:id/cancel', async (request, response) => {
    const sale = sales.get(request.params.id);
    if (!sale) return void response.sendStatus(404);
    if (sale.state !== 'open') return void response.status(409).json(sale);
    await sales.cancel(sale);
    response.sendStatus(202);
  });

  // Asks again for the outcome of a sale that is open because the payments service did not answer.
  app.post('/sales/:id/check', (request, response) => {
    const sale = sales.get(request.params.id);
    if (!sale) return void response.sendStatus(404);
    sales.check(sale);
    response.sendStatus(202);
  });

  return app;
}
