import json, os
from urllib.request import Request, urlopen

message = json.dumps({"SaleToPOIRequest": {"MessageHeader": {"ServiceID": "1"}}}).encode()
key = {"x-api-key": os.environ["ADYEN_API_KEY"], "content-type": "application/json"}
with urlopen(Request("https://terminal-api-test.adyen.com/sync", message, key)) as answer:
    print(json.load(answer)["SaleToPOIResponse"]["PaymentResponse"]["Response"]["Result"])
with urlopen(os.environ["OTHER"]) as answer:
    print(answer.read().decode())
