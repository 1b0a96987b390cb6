"""The point of sale of examples/python, in the folder that is named; what it takes a sale for is said here."""

import os
import sys

from till import NOTES, TERMINAL, TOKEN, URL, believe

sys.path.insert(0, sys.argv[1])
from test_pos import Pos

pos = Pos(URL, TOKEN, TERMINAL, NOTES)
answer = pos.recover() if os.environ.get("PINPAD_RECOVERY") == "1" else pos.sell(12.5)
if answer and "response" in answer:
    paid = answer["response"]["result"] == "success"
    believe("paid" if paid else "notPaid", 12.5 if paid else None, int(paid), payment=answer["identifier"])
