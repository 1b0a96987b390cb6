"""The careful point of sale of test/explore/drivers as one that stays: it is started once, and sells for each run of `pinpad explore`."""

import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path[:0] = [os.path.join(ROOT, "examples/python"), os.path.join(ROOT, "test/explore/drivers")]

import explore  # noqa: E402

for run in explore.runs():
    import till

    till.URL, till.TOKEN = run["PINPAD_URL"], run["PINPAD_TOKEN"]
    till.TERMINAL, till.BELIEFS_URL = run["PINPAD_TERMINAL"], run["PINPAD_BELIEFS_URL"]
    till.Sale().run()
