"""Planted bug: what it finds out to be paid it aborts, since the customer is gone, and takes for not paid."""

from till import Sale, call, main


class AbortsSuccess(Sale):
    def found_out(self, outcome):
        if outcome == "paid":
            call("POST", "/payment-requests/abort", {"idempotencyKey": self.key})
        return "notPaid"


main(Sale, AbortsSuccess)
