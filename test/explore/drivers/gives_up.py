"""Planted bug: after 30 s without an answer it takes the sale for not paid."""

from till import Sale, main


class GivesUp(Sale):
    patience = 30

    def timed_out(self):
        return "notPaid"


main(Sale, GivesUp)
