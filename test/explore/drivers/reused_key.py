"""Planted bug: a key is used up only by a request that was answered; after one that was not, the next sale has it too."""

import uuid

from till import Sale, believe, main


class TwoSales(Sale):
    """Two coffees one after the other, each a sale of its own."""

    told = {}

    def run(self):
        self.sell()
        self.key = self.next_key()
        self.sell()

    def sell(self):
        self.asked = False
        self.note()
        self.end(self.read(*self.send()))

    def order(self):
        return {"paymentTransaction": {"amountsReq": {"requestedAmount": self.amount}}}

    def recover(self):
        self.asked = True
        return super().recover()

    def next_key(self):
        return f"sale-{uuid.uuid4().hex[:12]}"

    def tell(self, outcome):
        """What was sold with a key, all together."""
        before = self.told.get(self.key, (0, 0))
        paid = (before[0] + self.paid, before[1] + 1) if outcome == "paid" else before
        self.told[self.key] = paid
        believe(outcome, paid[0] or None, paid[1], idempotencyKey=self.key)


class ReusedKey(TwoSales):
    def next_key(self):
        return self.key if self.asked else super().next_key()


main(TwoSales, ReusedKey)
