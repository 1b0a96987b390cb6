"""Planted bug: it hands out the goods for every event that comes, also for one that it has seen."""

from events import Events
from till import main


class DoubledEvent(Events):
    def is_new(self, debit):
        return True


main(Events, DoubledEvent)
