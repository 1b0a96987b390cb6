"""Planted bug: after 30 s without an answer it takes the sale for not paid."""

import os

from till import Sale, main


class GivesUp(Sale):
    patience = float(os.environ.get("TILL_PATIENCE", "30"))

    def timed_out(self):
        return "notPaid"


main(Sale, GivesUp)
