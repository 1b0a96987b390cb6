"""Planted bug: its HTTP client follows the 303, and what it gets there is no outcome."""

from till import FOLLOWS, Sale, main


class Redirects(Sale):
    opener = FOLLOWS


main(Sale, Redirects)
