"""A point of sale as somebody writes it who has seen only sales that go well."""

import json
import os
import urllib.error
import urllib.request
import uuid

from till import believe

URL, TOKEN, TERMINAL = (os.environ[name] for name in ("PINPAD_URL", "PINPAD_TOKEN", "PINPAD_TERMINAL"))
ORDER = f"order-{uuid.uuid4().hex[:12]}"


def pay(amount):
    body = {"saleData": {"saleReferenceId": ORDER}, "paymentTransaction": {"amountsReq": {"requestedAmount": amount}}}
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    }
    request = urllib.request.Request(f"{URL}/terminals/{TERMINAL}/payment-request", json.dumps(body).encode(), headers)
    try:
        answer = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return json.load(answer).get("response", {}).get("result") == "success"


def sell(amount):
    for _ in range(2):
        try:
            return pay(amount)
        except OSError:
            print("no answer, once more")
    return False


if os.environ.get("PINPAD_RECOVERY") != "1":
    paid = sell(12.5)
    believe("paid" if paid else "notPaid", 12.5 if paid else None, int(paid), saleReferenceId=ORDER)
