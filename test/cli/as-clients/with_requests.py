import os
import requests

message = {"SaleToPOIRequest": {"MessageHeader": {"ServiceID": "1"}}}
answer = requests.post("https://device-api-test.adyen.com/sync", json=message, headers={"x-api-key": os.environ["ADYEN_API_KEY"]})
print(answer.json()["SaleToPOIResponse"]["PaymentResponse"]["Response"]["Result"])
print(requests.get(os.environ["OTHER"]).text)
