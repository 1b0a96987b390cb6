"""A point of sale tested against pinpad from Python, with nothing but the standard library.

    python3 -m unittest test_pos.py

The gateway's time skips what nobody needs: 150 seconds pass in no time, and nothing here sleeps or moves time.
"""

import http.client
import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
import uuid

PINPAD = shlex.split(os.environ.get("PINPAD", "npx pinpad"))


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A followed 303 would throw the identifier in its body away."""

    def redirect_request(self, *_args):
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def call(method, url, token, body=None, headers=None):
    """Sends JSON, gives status and parsed body; no status is an exception."""
    request = urllib.request.Request(url, method=method, headers={"Authorization": f"Bearer {token}", **(headers or {})})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with OPENER.open(request, timeout=200) as response:
            text = response.read()
            return response.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        text = error.read()
        return error.code, json.loads(text) if text else None


class Pos:
    """The point of sale under test: one key per payment, on disk before it is sent, and only an outcome ends a sale."""

    def __init__(self, url, token, terminal, notes, wait=time.sleep):
        self.url, self.token, self.terminal, self.notes, self.wait = url, token, terminal, notes, wait

    def sell(self, amount):
        key = str(uuid.uuid4())
        with open(f"{self.notes}.new", "w", encoding="utf-8") as noted:
            json.dump({"key": key, "amount": amount}, noted)
            noted.flush()
            os.fsync(noted.fileno())
        os.replace(f"{self.notes}.new", self.notes)
        return self.outcome(key, amount, known=False)

    def recover(self):
        """After a crash: the outcome of the sale that was under way, None where none was."""
        if not os.path.exists(self.notes):
            return None
        with open(self.notes, encoding="utf-8") as noted:
            return self.outcome(**json.load(noted), known=True)

    def outcome(self, key, amount, known):
        answer = self.answer(key, amount, known)
        os.remove(self.notes)
        return answer

    def answer(self, key, amount, known):
        """Known: the request may have been sent before, and is asked about first."""
        body = {"paymentTransaction": {"amountsReq": {"requestedAmount": amount}}}
        path = f"{self.url}/terminals/{self.terminal}/payment-request"
        query = urllib.parse.urlencode({"idempotencyKey": key})

        def send():
            return call("POST", path, self.token, body, {"Idempotency-Key": key})

        def ask():
            return call("GET", f"{self.url}/payment-requests/status?{query}", self.token)

        request, first = (ask, False) if known else (send, True)
        while True:
            try:
                status, answer = request()
            except (OSError, ValueError, http.client.HTTPException):
                status, answer = 0, None  # no answer: the customer may be paying
            if status == 200:
                return answer
            if first and 400 <= status < 500 and status != 429:
                return answer  # refused: no payment
            if status not in (202, 303, 404):
                self.wait(0.5)
            # A 404 is no proof: the request may still be on its way. The same key makes one payment of all copies.
            request, first = send if status == 404 else ask, False


class InBackground(threading.Thread):
    """A held request, and its answer once there is one."""

    def __init__(self, work, *args):
        super().__init__(daemon=True)
        self.work, self.args, self.result = work, args, None
        self.start()

    def run(self):
        self.result = self.work(*self.args)

    def answer(self):
        self.join(timeout=20)
        assert not self.is_alive(), "the POS got no answer"
        return self.result


class TillTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        command = [*PINPAD, "up", "--headless", "--json", "--memory", "--port", "0", "--clock", "skipping"]
        cls.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        ready = json.loads(cls.process.stdout.readline())
        cls.url, cls.control_token = ready["url"], ready["controlToken"]
        cls.pid, cls.terminal = ready["pid"], ready["terminals"][0]
        cls.folder = tempfile.TemporaryDirectory()
        cls.notes = os.path.join(cls.folder.name, "sale.json")
        cls.pos = Pos(cls.url, ready["token"], cls.terminal["identifier"], cls.notes, cls.sleep)

    @classmethod
    def tearDownClass(cls):
        os.kill(cls.pid, signal.SIGTERM)  # not the process that was started: npx passes no signal on
        cls.process.wait(timeout=10)
        cls.process.stdout.close()
        cls.folder.cleanup()

    @classmethod
    def control(cls, method, path, body=None):
        status, answer = call(method, f"{cls.url}/control{path}", cls.control_token, body)
        assert status < 400, answer
        return answer

    @classmethod
    def sleep(cls, seconds):
        """What a POS does before it asks again: sleep in the gateway's time."""
        cls.control("POST", "/clock/wait", {"ms": int(seconds * 1000)})

    def act(self, what, body=None):
        return self.control("POST", f"/terminals/{self.terminal['poiId']}/{what}", body)

    def until(self, state):
        """Waits for the screen, never for time."""
        self.control("GET", f"/terminals/{self.terminal['poiId']}/screen?until={state}")

    def setUp(self):
        self.until("idle")

    def test_a_sale_is_paid_with_chip_and_pin(self):
        sale = InBackground(self.pos.sell, 12.5)
        self.until("presentCard")
        self.act("insert", {"card": "visa-credit"})
        self.until("pin")
        self.act("press", {"keys": ["1", "2", "3", "4", "enter"]})
        self.assertEqual(sale.answer()["response"]["result"], "success")
        self.until("removeCard")
        self.act("remove")

    def test_a_declined_card_is_told(self):
        sale = InBackground(self.pos.sell, 12.5)
        self.until("presentCard")
        self.act("tap", {"card": "not-enough-balance"})
        self.assertEqual(sale.answer()["response"]["errorCondition"], "refusal")

    def test_a_503_is_no_outcome(self):
        fault = {"fault": "failAnswer", "status": 503, "method": "POST", "path": "/terminals/{terminalId}/payment-request"}
        self.control("POST", "/faults", fault)
        sale = InBackground(self.pos.sell, 12.5)
        self.until("presentCard")
        self.act("tap", {"card": "visa-credit"})
        self.assertEqual(sale.answer()["response"]["result"], "success")
        self.assertTrue(self.control("GET", "/books")["agree"])

    def test_a_303_is_followed_to_the_outcome(self):
        shopper = f"/terminals/{self.terminal['poiId']}/shopper"
        self.control("PUT", shopper, {"card": "visa-credit", "entry": "Contactless", "thinkMs": 115_000})
        self.control("PUT", "/moments/before.begun", {"action": "powerOff", "backMs": 40_000})
        self.assertEqual(self.pos.sell(12.5)["response"]["result"], "success")
        answers = self.control("GET", "/journal?kind=http.answered&limit=10000")["entries"]
        self.assertIn(303, [answer["data"]["status"] for answer in answers])
        self.control("DELETE", shopper)
        self.assertTrue(self.control("GET", "/books")["agree"])


if __name__ == "__main__":
    unittest.main()
