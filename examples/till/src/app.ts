import express, { type Express } from 'express';
import type { Sales } from './sales.ts';

/** The till's own HTTP interface, for the screen the cashier sees. */
export function tillApp(sales: Sales): Express {
  const app = express();
  app.use(express.json());

  app.post('/sales', async (request, response) => {
    const sale = sales.open(Number(request.body.amount));
    response.status(201).json(await sales.pay(sale));
  });

  app.get('/sales/:id', (request, response) => {
    const sale = sales.get(request.params.id);
    if (sale) response.json(sale);
    else response.sendStatus(404);
  });

  app.post('/sales/:id/cancel', async (request, response) => {
    const sale = sales.get(request.params.id);
    if (!sale) return void response.sendStatus(404);
    await sales.cancel(sale);
    response.sendStatus(202);
  });

  return app;
}
