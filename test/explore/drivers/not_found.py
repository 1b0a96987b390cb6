"""Planted bug: it takes 404 for a request that never came and never will."""

from till import Sale, main


class NotFound(Sale):
    def not_found(self):
        return "notPaid"


main(Sale, NotFound)
