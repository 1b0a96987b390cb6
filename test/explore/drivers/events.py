"""A shop that charges a saved card, and hands out the goods when the event comes that says it is paid.

It registers its receiver with PINPAD_CONTROL_TOKEN, for the account PINPAD_ACCOUNT (demo-shop).
"""

import base64
import hashlib
import hmac
import json
import os
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from till import believe, call, notes

CONTROL_TOKEN = os.environ.get("PINPAD_CONTROL_TOKEN", "")
ACCOUNT = os.environ.get("PINPAD_ACCOUNT", "demo-shop")


class Events:
    amount = 12.5
    contact, card, bank = "demo-customer", "demo-visa", "demo-bank-account"
    # Real seconds in which the event may come, and after it a copy of it.
    patience, lingers = 15, float(os.environ.get("PINPAD_LINGERS", "0.5"))

    def __init__(self):
        self.statement = f"ORDER {uuid.uuid4().hex[:12]}"
        self.key = os.urandom(32)
        self.times, self.lock = {}, threading.Lock()
        self.came, self.came_again = threading.Event(), threading.Event()

    def run(self):
        server = self.listen(0)
        self.port = server.server_port
        self.note()
        self.register(self.port)
        body = {"amount": self.amount, "to_bank_account_id": self.bank, "statement": self.statement}
        status, answer = call("POST", f"/contact/{self.contact}/creditCards/{self.card}/charge", body)
        if status == 402:
            return
        self.wait()
        if status == 200 and answer["debit_id"] not in self.times:  # its event never came, and the customer waits
            self.act(answer["debit_id"])
        server.shutdown()
        notes.remove()

    def restart(self):
        """After a crash: at the same address, where events that it did not take come again."""
        noted = notes.read()
        if noted:
            self.statement, self.times, self.port = noted["statement"], noted["times"], noted["port"]
            self.key = bytes.fromhex(noted["key"])
            self.listen(self.port)
            self.wait()
            notes.remove()

    def note(self):
        notes.write({"statement": self.statement, "times": self.times, "port": self.port, "key": self.key.hex()})

    def listen(self, port):
        server = ThreadingHTTPServer(("127.0.0.1", port), self.receiver())
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def wait(self):
        self.came.wait(self.patience)
        self.came_again.wait(self.lingers)

    def register(self, port):
        body = {
            "accountId": ACCOUNT,
            "url": f"http://127.0.0.1:{port}/",
            "types": ["payments.debits.completed"],
            "secret": "whsec_" + base64.b64encode(self.key).decode(),
        }
        headers = {"Authorization": f"Bearer {CONTROL_TOKEN}"}
        status, answer = call("POST", "/control/webhooks", body, headers)
        if status != 201:
            raise SystemExit(f"no webhook: {status} {answer}")

    def take(self, headers, body):
        """Gives the status to answer with."""
        if not self.is_signed(headers, body):
            return 401
        event = json.loads(body)
        with self.lock:
            self.know(event)
        return 204

    def know(self, event):
        if event["data"]["statement"] == self.statement:
            debit = event["data"]["transactionId"]
            if self.is_new(debit):
                self.act(debit)
            (self.came_again if self.came.is_set() else self.came).set()

    def is_signed(self, headers, body):
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        wanted = "v1," + base64.b64encode(hmac.new(self.key, signed, hashlib.sha256).digest()).decode()
        given = str(headers["webhook-signature"]).split()
        return any(hmac.compare_digest(wanted, each) for each in given)

    def act(self, debit):
        self.times[debit] = self.times.get(debit, 0) + 1
        self.note()
        believe("paid", self.amount, self.times[debit], payment=debit)

    def is_new(self, debit):
        return debit not in self.times

    def receiver(self):
        shop = self

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                self.send_response(shop.take(self.headers, body))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        return Receiver
