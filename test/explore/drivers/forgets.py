"""Planted bug: it notes nothing before it sends, so that after a crash it knows of no sale."""

from till import Sale, main


class Forgets(Sale):
    def note(self):
        pass


main(Sale, Forgets)
