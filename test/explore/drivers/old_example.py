"""The point of sale of examples/python as it was once, in the folder that is named; what it takes a sale for is said here."""

import sys
import types
import uuid

from till import TERMINAL, TOKEN, URL, believe

sys.path.insert(0, sys.argv[1])
import test_pos

KEY = str(uuid.uuid4())
test_pos.uuid = types.SimpleNamespace(uuid4=lambda: KEY)  # it tells nobody which key it makes up

answer = test_pos.Pos(URL, TOKEN, TERMINAL).sell(12.5)
paid = answer.get("response", {}).get("result") == "success"
believe("paid" if paid else "notPaid", 12.5 if paid else None, int(paid), idempotencyKey=KEY)
