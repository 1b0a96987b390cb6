"""Planted bug: where there was no answer, it tries again with a new key."""

from till import Sale, main


class NewKey(Sale):
    def recover(self):
        self.key = f"{self.key}-again"
        return self.read(*self.send())


main(Sale, NewKey)
