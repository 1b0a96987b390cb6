"""Planted bug: the request has no Idempotency-Key, so that sent again it is another payment."""

from till import Sale, main


class NoKey(Sale):
    def headers(self):
        return {}


main(Sale, NoKey)
