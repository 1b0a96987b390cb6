"""Runs a program of docs/recover-a-payment.md, KEY is sale-1: what it prints is what the shop believes."""

import subprocess
import sys

from till import believe

printed = subprocess.run([*sys.argv[1:], "sale-1", "12.5"], check=True, stdout=subprocess.PIPE, text=True).stdout
paid = printed.strip() == "paid"
believe("paid" if paid else "notPaid", 12.5 if paid else None, int(paid), idempotencyKey="sale-1")
