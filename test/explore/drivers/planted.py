"""Planted defects that only one verdict of `pinpad explore` finds each; the argument says which."""

import sys
import time

from till import Sale, main


class LeavesUnknown(Sale):
    """It does not ask what became of a sale, and knows that it does not know."""

    def recover(self):
        return "unknown"


class Fails(Sale):
    """It finds out, and fails all the same; what it believes it says to nobody."""

    def found_out(self, outcome):
        raise SystemExit(1)

    def tell(self, outcome):
        pass


class Hangs(Sale):
    """After a decline it waits for somebody to press a key."""

    def tell(self, outcome):
        super().tell(outcome)
        while outcome == "notPaid":
            time.sleep(60)


defects = {"leaves-unknown": LeavesUnknown, "fails": Fails, "hangs": Hangs}
main(Sale, defects[sys.argv[1]])
