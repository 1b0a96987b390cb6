// A point of sale tested with Go's own tools against a running pinpad, which the variables PINPAD_... name (README.md).
package till

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"
)

var (
	url = os.Getenv("PINPAD_URL")
	poi = os.Getenv("PINPAD_POI_ID")
	pos = till{url: url, token: os.Getenv("PINPAD_TOKEN"), terminal: os.Getenv("PINPAD_TERMINAL")}
)

func TestASaleIsPaidByTapping(t *testing.T) {
	sale := begin(t, 12.5)
	tap(t, "visa-credit")
	if told := answerOf(t, sale); told.Response.Result != "success" {
		t.Fatalf("the sale was not paid: %+v", told)
	}
}

func TestADeclinedCardIsTold(t *testing.T) {
	sale := begin(t, 12.5)
	tap(t, "not-enough-balance")
	if told := answerOf(t, sale); told.Response.ErrorCondition != "refusal" {
		t.Fatalf("the decline was not told: %+v", told)
	}
}

func TestA503IsNoOutcome(t *testing.T) {
	control(t, "POST", "/faults", map[string]any{
		"fault": "failAnswer", "status": 503, "method": "POST", "path": "/terminals/{terminalId}/payment-request",
	}, nil)
	sale := begin(t, 12.5)
	tap(t, "visa-credit")
	if told := answerOf(t, sale); told.Response.Result != "success" {
		t.Fatalf("the sale was not paid: %+v", told)
	}
	var books struct{ Agree bool }
	if control(t, "GET", "/books", nil, &books); !books.Agree {
		t.Fatal("the till was told something else than what was charged")
	}
}

// begin sells in the background, and returns when the terminal waits for a card.
func begin(t *testing.T, amount float64) <-chan outcome {
	t.Helper()
	until(t, "idle")
	told := make(chan outcome, 1)
	go func() { told <- pos.sell(amount) }()
	until(t, "presentCard")
	return told
}

// answerOf is the answer of a sale that was begun. One that never comes fails the test.
func answerOf(t *testing.T, sale <-chan outcome) outcome {
	t.Helper()
	select {
	case told := <-sale:
		return told
	case <-time.After(30 * time.Second):
		t.Fatal("the sale got no answer")
		panic("unreachable")
	}
}

func tap(t *testing.T, card string) {
	t.Helper()
	control(t, "POST", "/terminals/"+poi+"/tap", map[string]any{"card": card}, nil)
}

// until waits for the terminal's screen, never for time.
func until(t *testing.T, state string) {
	t.Helper()
	control(t, "GET", "/terminals/"+poi+"/screen?until="+state, nil, nil)
}

func control(t *testing.T, method, path string, body, into any) {
	t.Helper()
	status, err := send(method, url+"/control"+path, os.Getenv("PINPAD_CONTROL_TOKEN"), body, "", into)
	if err != nil || status >= 400 {
		t.Fatalf("%s %s: %d %v", method, path, status, err)
	}
}

// till is the point of sale under test: one key for each sale, and only an outcome ends it.
type till struct{ url, token, terminal string }

type outcome struct {
	Response struct{ Result, ErrorCondition string }
}

func (pos till) sell(amount float64) (told outcome) {
	key := newKey()
	body := map[string]any{"paymentTransaction": map[string]any{"amountsReq": map[string]any{"requestedAmount": amount}}}
	order := func() (int, error) {
		return send("POST", pos.url+"/terminals/"+pos.terminal+"/payment-request", pos.token, body, key, &told)
	}
	status, err := order()
	if err == nil && status >= 400 && status < 500 && status != 429 {
		return told // refused: no payment
	}
	for err != nil || status != 200 {
		time.Sleep(500 * time.Millisecond)
		status, err = send("GET", pos.url+"/payment-requests/status?idempotencyKey="+key, pos.token, nil, "", &told)
		// A 404 is no proof: the request may still be on its way. The same key makes one payment of all copies.
		if err == nil && status == 404 {
			status, err = order()
		}
	}
	return told
}

func newKey() string {
	drawn := make([]byte, 16)
	if _, err := rand.Read(drawn); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", drawn)
}

var client = http.Client{
	Timeout: 200 * time.Second,
	// A followed 303 would throw the identifier in its body away.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send sends JSON, and reads a body of 200 into what is given. No answer is an error; no status is one.
func send(method, url, token string, body any, key string, into any) (int, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if into != nil && response.StatusCode == http.StatusOK {
		return response.StatusCode, json.NewDecoder(response.Body).Decode(into)
	}
	return response.StatusCode, nil
}
