"""Planted defects that only one verdict of `pinpad explore` finds each; the argument says which."""

import os
import sys
import time

from till import Refund, Sale, call, main


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


class Clogs(Refund):
    """Where it is in doubt it has events sent to a receiver that takes none, and makes one."""

    def refund_unknown(self, debit):
        body = {"accountId": "demo-shop", "url": os.environ["TILL_RECEIVER"]}
        headers = {"Authorization": f"Bearer {os.environ['PINPAD_CONTROL_TOKEN']}"}
        assert call("POST", "/control/webhooks", body, headers)[0] == 201
        self.hold()
        return super().refund_unknown(debit)


defects = {"leaves-unknown": LeavesUnknown, "fails": Fails, "hangs": Hangs, "clogs": Clogs}
main(Sale, defects[sys.argv[1]])
