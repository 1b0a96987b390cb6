"""A careful point of sale, of which every driver here is made: a planted bug is one method or value that differs.

It reads PINPAD_URL, PINPAD_TOKEN and PINPAD_TERMINAL, says what the shop believes to PINPAD_BELIEFS_URL, and with
PINPAD_RECOVERY=1 goes on where a crash ended it. Python's standard library alone.
"""

import hashlib
import http.client
import json
import os
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

URL = os.environ["PINPAD_URL"]
TOKEN = os.environ["PINPAD_TOKEN"]
TERMINAL = os.environ.get("PINPAD_TERMINAL", "")
BELIEFS_URL = os.environ.get("PINPAD_BELIEFS_URL")

# The same in a run and in its restart, and another in the next run: each gateway makes up its addresses anew.
RUN = hashlib.sha256(f"{BELIEFS_URL} {URL}".encode()).hexdigest()[:16]
NOTES = os.path.join(tempfile.gettempdir(), f"pinpad-till-{RUN}.json")

TRIES = 20
PAUSE = 0.2


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A 303 that is followed loses its body."""

    def redirect_request(self, *_):
        return None


STAYS = urllib.request.build_opener(NoRedirect)
FOLLOWS = urllib.request.build_opener()

NO_ANSWER, TIMED_OUT = 0, -1


def call(method, path, body=None, headers=None, patience=200, opener=STAYS):
    """Sends JSON; gives the status and what was answered, NO_ANSWER or TIMED_OUT where nothing was."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(headers or {})}
    try:
        answer = opener.open(urllib.request.Request(URL + path, data, sent, method=method), timeout=patience)
    except urllib.error.HTTPError as error:
        answer = error
    except (OSError, ValueError, http.client.HTTPException) as error:
        return (TIMED_OUT if timed_out(error) else NO_ANSWER), {}
    try:
        with answer:
            return answer.status, json.loads(answer.read() or b"{}")
    except TimeoutError:
        return TIMED_OUT, {}
    except (OSError, ValueError, http.client.HTTPException):
        return NO_ANSWER, {}


def timed_out(error):
    return isinstance(error, TimeoutError) or isinstance(getattr(error, "reason", None), TimeoutError)


def believe(believes, amount=None, times=None, **sale):
    """Says what the shop takes a sale for; the last that is said of a sale counts."""
    said = {**sale, "believes": believes, "amount": amount, "times": times}
    said = {name: value for name, value in said.items() if value is not None}
    print("the shop believes", json.dumps(said), flush=True)
    if not BELIEFS_URL:
        return
    request = urllib.request.Request(BELIEFS_URL, json.dumps(said).encode(), {"Content-Type": "application/json"})
    for _ in range(TRIES):
        try:
            with STAYS.open(request, timeout=40):
                return
        except urllib.error.HTTPError as error:
            if error.code < 429:
                return print("nobody knows that sale:", error.read().decode(), flush=True)
        except OSError:
            pass
        time.sleep(PAUSE)


class Notes:
    """What a driver has on disk, so that a crash does not make it forget."""

    def read(self):
        if not os.path.exists(NOTES):
            return None
        with open(NOTES, encoding="utf-8") as notes:
            return json.load(notes)

    def write(self, noted):
        with open(f"{NOTES}.new", "w", encoding="utf-8") as notes:
            json.dump(noted, notes)
            notes.flush()
            os.fsync(notes.fileno())
        os.replace(f"{NOTES}.new", NOTES)

    def remove(self):
        if os.path.exists(NOTES):
            os.remove(NOTES)


notes = Notes()


class Sale:
    """One payment on a terminal: one key, noted before it is sent, and only an outcome ends it."""

    amount = 12.5
    # Real seconds; less for a test that is not to wait for so long.
    patience = float(os.environ.get("TILL_PATIENCE", "200"))
    opener = STAYS

    def __init__(self):
        self.paid = 0
        self.name(f"sale-{uuid.uuid4().hex[:12]}")

    def name(self, key):
        self.key, self.reference = key, f"order-{key[-12:]}"

    def run(self):
        self.note()
        self.end(self.read(*self.send()))

    def restart(self):
        """After a crash: what was noted may have been sent."""
        noted = notes.read()
        if noted:
            self.name(noted["key"])
            self.end(self.ask())

    def note(self):
        notes.write({"key": self.key})

    def end(self, outcome):
        self.tell(outcome)
        notes.remove()

    def tell(self, outcome):
        paid = outcome == "paid"
        believe(outcome, self.paid if paid else None, int(paid), saleReferenceId=self.reference)

    def order(self):
        amounts = {"requestedAmount": self.amount}
        return {"saleData": {"saleReferenceId": self.reference}, "paymentTransaction": {"amountsReq": amounts}}

    def headers(self):
        return {"Idempotency-Key": self.key}

    def send(self):
        path = f"/terminals/{TERMINAL}/payment-request"
        return call("POST", path, self.order(), self.headers(), self.patience, self.opener)

    def read(self, status, body):
        """What the answer to a payment request means."""
        if status == 200:
            return self.result(body)
        if status == TIMED_OUT:
            return self.timed_out()
        if status == 303 or self.is_unknown(status):
            return self.recover()
        return "notPaid"  # refused

    def is_unknown(self, status):
        return status in (NO_ANSWER, 429) or status >= 500

    def result(self, body):
        response = body.get("response", {})
        if response.get("result") != "success":
            return "notPaid"
        self.paid = int(response["additionalResponse"]["posAuthAmountValue"]) / 100
        return "paid"

    def timed_out(self):
        return self.recover()

    def recover(self):
        return self.found_out(self.ask())

    def ask(self):
        query = urllib.parse.urlencode({"idempotencyKey": self.key})
        tries = TRIES
        while tries > 0:
            status, body = call("GET", f"/payment-requests/status?{query}", patience=60)
            if status == 200:
                return self.result(body)
            if status == 202:
                continue  # it goes on, and ends some time
            outcome = self.not_found() if status == 404 else None
            if outcome:
                return outcome
            tries -= 1
            time.sleep(PAUSE)
        return "unknown"

    def not_found(self):
        """No proof that the request never arrived: sent again, with its key, it is one payment whichever comes first."""
        status, body = self.send()
        return self.result(body) if status == 200 else None

    def found_out(self, outcome):
        return outcome


class Abort(Sale):
    """A sale that is aborted where its answer is missing: the customer does not wait."""

    def recover(self):
        for _ in range(TRIES):
            status, _ = call("POST", "/payment-requests/abort", {"idempotencyKey": self.key}, patience=60)
            if status == 204:
                return self.aborted()
            if status == 404:  # it may still be on its way: so that it can be aborted, it is sent again
                self.send_at_once()
            time.sleep(PAUSE)
        return self.ask()

    def send_at_once(self):
        headers = {**self.headers(), "Prefer": "respond-async"}
        return call("POST", f"/terminals/{TERMINAL}/payment-request", self.order(), headers)

    def aborted(self):
        """204 says that the abort arrived; what became of the payment, only its status says."""
        return self.ask()


class Refund:
    """A sale to a saved card, of which a part is given back."""

    amount, back = 12.5, 5
    contact, card, bank = "demo-customer", "demo-visa", "demo-bank-account"

    def run(self):
        debit = self.hold()
        if debit is None:
            return
        notes.write({"debit": debit, "refunds": False})
        if self.capture(debit):
            notes.write({"debit": debit, "refunds": True})
            self.end(debit, self.refund(debit))
        notes.remove()

    def restart(self):
        """After a crash: what is held is released by itself, and what was asked to be refunded is looked for."""
        noted = notes.read()
        if noted and self.is_captured(noted["debit"]):
            believe("paid", self.amount, payment=noted["debit"])
            if noted["refunds"]:
                self.end(noted["debit"], self.is_refunded(noted["debit"]))
        notes.remove()

    def end(self, debit, refunded):
        net = self.amount - self.back
        believe("paid" if refunded else "unknown", net if refunded else None, payment=debit)

    def hold(self):
        """Without an answer nothing is taken: what is held and not captured is released."""
        body = {"amount": self.amount, "to_bank_account_id": self.bank, "statement": "ORDER 1"}
        status, answer = call("POST", f"/contact/{self.contact}/creditCards/{self.card}/preauthorize", body)
        return answer.get("debit_id") if status == 200 else None

    def capture(self, debit):
        """Once at most, however often it is asked for."""
        for _ in range(TRIES):
            call("POST", f"/debit/{debit}/capture")
            if self.is_captured(debit):
                believe("paid", self.amount, payment=debit)
                return True
        believe("unknown", payment=debit)
        return False

    def is_captured(self, debit):
        return self.summary(debit).get("captured_amount", 0) > 0

    def is_refunded(self, debit):
        return len(self.summary(debit).get("refunds", [])) > 0

    def summary(self, debit):
        for _ in range(TRIES):
            status, answer = call("GET", f"/debit/{debit}/refunds")
            if status == 200:
                return answer
            time.sleep(PAUSE)
        return {}

    def refund(self, debit):
        status, _ = self.send_refund(debit)
        return True if status == 201 else self.refund_unknown(debit)

    def send_refund(self, debit):
        body = {"amount": self.back, "reason": "customer_request"}
        return call("POST", f"/debit/{debit}/refunds", body)

    def refund_unknown(self, debit):
        """Refunds have no key: it looks whether there is one, and leaves the rest to people."""
        return self.is_refunded(debit)


def main(good, bug=None):
    """Runs the driver with its bug; with the argument `good` without it."""
    driver = good() if bug is None or "good" in sys.argv[1:] else bug()
    if os.environ.get("PINPAD_RECOVERY") == "1":
        driver.restart()
    else:
        driver.run()
