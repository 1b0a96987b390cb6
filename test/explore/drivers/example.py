"""The point of sale of examples/python as of 0.1.0, which is in the folder that it is given; what it says of a sale is added."""

import sys
import types
import uuid

from till import TERMINAL, TOKEN, URL, believe

sys.path.insert(0, sys.argv[1])
import test_pos

KEY = str(uuid.uuid4())
test_pos.uuid = types.SimpleNamespace(uuid4=lambda: KEY)

answer = test_pos.Pos(URL, TOKEN, TERMINAL).sell(12.5)
paid = answer.get("response", {}).get("result") == "success"
believe("paid" if paid else "notPaid", 12.5 if paid else None, int(paid), idempotencyKey=KEY)
