"""Planted bug: it reads the body of a 5xx, which has no success in it, as the outcome."""

from till import NO_ANSWER, Sale, main


class Reads5xx(Sale):
    def is_unknown(self, status):
        return status == NO_ANSWER


main(Sale, Reads5xx)
