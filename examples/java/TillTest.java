import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A point of sale tested with JUnit against a running pinpad, which the variables PINPAD_... name (README.md). */
class TillTest {
  private static final String URL = System.getenv("PINPAD_URL");
  private static final String POI = System.getenv("PINPAD_POI_ID");
  private final Till till = new Till(URL, System.getenv("PINPAD_TOKEN"), System.getenv("PINPAD_TERMINAL"));

  @BeforeEach
  void waitsForTheTerminal() throws Exception {
    until("idle");
  }

  @Test
  void aSaleIsPaidByTapping() throws Exception {
    var sale = sellInBackground("12.50");
    until("presentCard");
    control("POST", "/terminals/" + POI + "/tap", "{\"card\":\"visa-credit\"}");
    assertEquals("success", Json.text(answerOf(sale), "result"));
  }

  @Test
  void aDeclinedCardIsTold() throws Exception {
    var sale = sellInBackground("12.50");
    until("presentCard");
    control("POST", "/terminals/" + POI + "/tap", "{\"card\":\"not-enough-balance\"}");
    assertEquals("refusal", Json.text(answerOf(sale), "errorCondition"));
  }

  @Test
  void a503IsNoOutcome() throws Exception {
    control("POST", "/faults", "{\"fault\":\"failAnswer\",\"status\":503,\"method\":\"POST\","
        + "\"path\":\"/terminals/{terminalId}/payment-request\"}");
    var sale = sellInBackground("12.50");
    until("presentCard");
    control("POST", "/terminals/" + POI + "/tap", "{\"card\":\"visa-credit\"}");
    assertEquals("success", Json.text(answerOf(sale), "result"));
    assertTrue(control("GET", "/books", null).contains("\"agree\":true"));
  }

  private CompletableFuture<String> sellInBackground(String amount) {
    return CompletableFuture.supplyAsync(() -> till.sell(amount));
  }

  /** The answer of a sale that was begun. One that never comes fails the test. */
  private static String answerOf(CompletableFuture<String> sale) throws Exception {
    return sale.get(30, TimeUnit.SECONDS);
  }

  /** Waits for the terminal's screen, never for time. */
  private static void until(String state) throws Exception {
    control("GET", "/terminals/" + POI + "/screen?until=" + state, null);
  }

  private static String control(String method, String path, String body) throws Exception {
    var answer = Http.send(method, URL + "/control" + path, System.getenv("PINPAD_CONTROL_TOKEN"), body, null);
    assertTrue(answer.statusCode() < 400, answer.body());
    return answer.body();
  }
}

/** The point of sale under test: one key for each sale, and only an outcome ends it. */
class Till {
  private final String url;
  private final String token;
  private final String terminal;

  Till(String url, String token, String terminal) {
    this.url = url;
    this.token = token;
    this.terminal = terminal;
  }

  String sell(String amount) {
    var key = UUID.randomUUID().toString();
    var path = url + "/terminals/" + terminal + "/payment-request";
    var body = "{\"paymentTransaction\":{\"amountsReq\":{\"requestedAmount\":" + amount + "}}}";
    var status = url + "/payment-requests/status?idempotencyKey=" + key;
    for (var first = true; ; first = false) {
      try {
        var answer = first ? Http.send("POST", path, token, body, key) : Http.send("GET", status, token, null, null);
        // A 404 is no proof: the request may still be on its way. The same key makes one payment of all copies.
        if (answer.statusCode() == 404 && !first) answer = Http.send("POST", path, token, body, key);
        if (answer.statusCode() == 200) return answer.body();
        var isRefused = answer.statusCode() >= 400 && answer.statusCode() < 500 && answer.statusCode() != 429;
        if (first && isRefused) return answer.body(); // no payment
        TimeUnit.MILLISECONDS.sleep(500);
      } catch (IOException lost) {
        // No answer: the customer may be paying. The status tells.
      } catch (InterruptedException stopped) {
        throw new IllegalStateException("ask for " + key + " when the till starts again", stopped);
      }
    }
  }
}

class Http {
  private static final HttpClient CLIENT = HttpClient.newHttpClient(); // follows no redirect

  static HttpResponse<String> send(String method, String url, String token, String body, String key)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(200))
        .header("Authorization", "Bearer " + token)
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (body != null) request.header("Content-Type", "application/json");
    if (key != null) request.header("Idempotency-Key", key);
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }
}

class Json {
  /** The first text of that name. A real till has a JSON library. */
  static String text(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    return found.find() ? found.group(1) : null;
  }
}
