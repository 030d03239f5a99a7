// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.door;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.netserv.coverage.count.Counters;
import org.netserv.origin.count.OriginCounter;
import org.netserv.origin.route.Director;
import org.netserv.origin.route.Edge;
import org.netserv.origin.route.Routes;
import org.netserv.origin.users.Grouping;
import org.netserv.origin.users.Visits;
import org.netserv.values.Prefix;

/** A question that is not sound never keeps content from a user. */
class DecisionDoorTest {
  private final Counters counters = new Counters(OriginCounter.values());
  private final HttpClient web = HttpClient.newHttpClient();
  private DecisionDoor door;

  @BeforeEach
  void open() throws Exception {
    Director director =
        new Director(new Grouping(24, 48), address -> null, 0, new Visits(10, counters), counters);
    Edge edge = new Edge("a", "http://10.1.0.1", null);
    Map<Prefix, Edge> onPath = Map.of(Prefix.parse("198.51.100.0/24"), edge);
    director.use(new Routes(onPath, List.of(edge), Set.of()));
    door =
        DecisionDoor.open(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), director, counters);
  }

  @AfterEach
  void close() {
    door.close();
  }

  private String ask(String path, String... clients) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + door.port() + path));
    for (String client : clients) {
      request.header("NetServ-Client", client);
    }
    HttpResponse<Void> answer = web.send(request.build(), HttpResponse.BodyHandlers.discarding());
    return answer.statusCode()
        + " "
        + answer.headers().firstValue("NetServ-Edge").orElse("-")
        + " "
        + answer.headers().firstValue("NetServ-Reason").orElse("-");
  }

  @Test
  void theAnswerNamesTheEdgeAndTheReason() throws Exception {
    assertEquals("403 http://10.1.0.1 on-path", ask("/decide", "198.51.100.7"));
    assertEquals("204 - none", ask("/decide", "198.51.101.7"));
    assertEquals("204 - odd", ask("/decide", "127.0.0.1"));
    assertEquals("404 - -", ask("/other", "198.51.100.7"));
    assertEquals(3, counters.get(OriginCounter.ASKED));
  }

  @Test
  void aQuestionThatIsNotSoundIsServedByTheWebServer() throws Exception {
    assertEquals("204 - bad", ask("/decide"));
    assertEquals("204 - bad", ask("/decide", "example.net"));
    assertEquals("204 - bad", ask("/decide", "198.51.100.7, 198.51.100.8"));
    assertEquals("204 - bad", ask("/decide", "198.51.100.7", "198.51.100.8"));
    assertEquals("204 - bad", ask("/decide", "1".repeat(4000)));
    assertEquals(5, counters.get(OriginCounter.ASKED_BAD));
  }
}
