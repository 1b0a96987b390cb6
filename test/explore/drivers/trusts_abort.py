"""Planted bug: it takes the 204 of an abort for a sale that is not paid."""

from till import Abort, main


class TrustsAbort(Abort):
    def aborted(self):
        return "notPaid"


main(Abort, TrustsAbort)
