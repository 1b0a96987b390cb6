import java.net.HttpURLConnection;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Pays with both clients that come with Java, and says how it would reach another host. */
class Pay {
  static final String MESSAGE = "{\"SaleToPOIRequest\":{\"MessageHeader\":{\"ServiceID\":\"1\"}}}";
  static final String KEY = System.getenv("ADYEN_API_KEY");

  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("https://terminal-api-test.adyen.com/sync"))
        .header("x-api-key", KEY).POST(HttpRequest.BodyPublishers.ofString(MESSAGE)).build();
    System.out.println(result(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body()));

    var connection = (HttpURLConnection) URI.create("https://terminal-api-live.adyen.com/sync").toURL().openConnection();
    connection.setRequestProperty("x-api-key", KEY);
    connection.setDoOutput(true);
    connection.getOutputStream().write(MESSAGE.getBytes());
    System.out.println(result(new String(connection.getInputStream().readAllBytes())));

    System.out.println(ProxySelector.getDefault().select(URI.create("https://checkout-test.adyen.com/")));
  }

  static String result(String answer) {
    return answer.replaceAll(".*\"Result\":\"(\\w+)\".*", "$1");
  }
}
