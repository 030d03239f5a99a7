// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Looks at the dashboard in a headless Chromium: {@code PageVisit LINK DIRECTORY}. Takes pictures
 * of it in light and dark, 1,280 and 390 pixels wide, and compares each number that it shows with
 * the document that it was made of. It prints the texts of the top talkers, of what modules save,
 * and of the path, one row or node in a line. Then it says {@code looking}, and waits until the
 * first container's row changes, and after that until a node of the path is gone.
 *
 * <p>It prints {@code wrong= errors= wide= packets= saved= changed= gone=}: cells that show
 * something else, errors in the console, pictures that are wider than their window, packets and
 * saved keep-alives of the keep-alive module as they were shown, the milliseconds since 1970 of the
 * change, and the nodes that are gone.
 */
public final class PageVisit implements WebSocket.Listener {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int DEBUG_PORT = 9333;
  private static final long PATIENCE = 60_000;

  /** Compares the cells with the document. The numbers of the keep-alive module come with it. */
  private static final String COMPARE =
      """
      (() => {
        const text = (value) => typeof value === 'number' ? value.toLocaleString('en') : '-';
        const rows = document.getElementById('modules').tBodies[0].rows;
        const all = window.shown.status.containers.flatMap((c) => c.modules.map((m) => [c, m]));
        let wrong = rows.length === all.length ? 0 : 1;
        all.forEach(([c, m], i) => {
          const cells = [...rows[i].cells].map((cell) => cell.textContent);
          const wanted = [c.publisher, m.module, m.version, m.state, `${m.expires} s`, text(m.packets)];
          wanted.forEach((value, j) => { if (cells[j] !== value) wrong++; });
        });
        const refused = document.getElementById('refusals').tBodies[0].rows.length;
        if (refused < Object.keys(window.shown.status.refusals).length) wrong++;
        const talkers = [...document.getElementById('talkers').tBodies[0].rows];
        if (talkers.length !== window.shown.talkers.talkers.length) wrong++;
        window.shown.talkers.talkers.forEach((t, i) => {
          const cells = [...talkers[i].cells].map((cell) => cell.textContent);
          if (cells[5] !== text(t.packets) || cells[6] !== text(t.bytes)) wrong++;
        });
        const hops = [...document.querySelectorAll('#path .hop .id')].map((id) => id.textContent);
        if (hops.join() !== window.shown.path.nodes.map((n) => n['node-id']).join()) wrong++;
        wrong += [...document.querySelectorAll('.wide')].filter((box) => box.tabIndex !== 0).length;
        const sums = {
          'NetServ.apps.KeepAlive': ['NOTIFY', 'OPTIONS', 'STUN', 'PING'],
          'NetServ.apps.MediaRelay': ['ALLOCATED'],
          'NetServ.apps.ActiveCDN': ['HIT', 'HIT_STALE', 'HIT_WHILE_FILLING', 'HIT_STALE_ON_ERROR'],
        };
        const saved = {};
        window.shown.counters.containers.flatMap((c) => c.modules).filter((m) => sums[m.module]).forEach((m) => {
          saved[m.module] = sums[m.module].reduce((sum, n) => sum + (m.counts[n] || 0), 0);
        });
        const gains = [...document.getElementById('gains').tBodies[0].rows].map((row) => row.cells);
        if (gains.length !== Object.keys(saved).length) wrong++;
        gains.forEach((cells) => {
          if (cells[3].textContent !== text(saved[cells[1].textContent])) wrong++;
        });
        const keepAlive = all.find(([, m]) => m.module === 'NetServ.apps.KeepAlive')[1];
        return JSON.stringify({wrong, packets: keepAlive.packets, saved: saved[keepAlive.module]});
      })()
      """;

  /** Returns the texts of the rows of talkers and gains, and of the nodes of the path. */
  private static final String TEXTS =
      """
      (() => {
        const row = (r, count) => [...r.cells].slice(0, count).map((cell) => cell.textContent);
        const rows = (name) => [...document.getElementById(name).tBodies[0].rows];
        const hop = (li) => ['strong', '.id', 'span', 'ul li'].flatMap(
          (part) => [...li.querySelectorAll(part)].map((each) => each.textContent));
        return JSON.stringify(
          rows('talkers').map((r) => ['talker', ...row(r, 7)])
            .concat(rows('gains').map((r) => ['gain', ...row(r, 4)]))
            .concat([...document.querySelectorAll('#path .hop')].map((li) => ['hop', ...hop(li)]))
            .map((words) => words.join(' ')));
      })()
      """;

  /** Waits for the second document, which has rates, and for the first answer of the path. */
  private static final String WHOLE =
      "window.shown !== undefined && performance.now() > 2500 && window.shown.path.nodes.length > 0";

  private static final String GONE = "document.querySelectorAll('#path .gone').length";

  private static final String FIRST_CONTAINER =
      "document.getElementById('containers').tBodies[0].rows[0]?.textContent ?? ''";

  private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
  private final AtomicInteger errors = new AtomicInteger();
  private final StringBuilder text = new StringBuilder(); // of a message that has come in part
  private WebSocket socket;
  private int number;

  private PageVisit() {}

  public static void main(String[] args) throws Exception {
    Path directory = Files.createDirectories(Path.of(args[1]));
    Process browser = start(directory);
    try {
      PageVisit visit = new PageVisit();
      visit.connect();
      visit.look(args[0], directory);
    } finally {
      browser.destroyForcibly();
    }
    System.exit(0);
  }

  private static Process start(Path directory) throws IOException {
    return new ProcessBuilder(
            "chromium",
            "--headless=new",
            "--no-sandbox", // it is root, and looks at our own page alone
            "--disable-gpu",
            "--remote-debugging-port=" + DEBUG_PORT,
            "--user-data-dir=" + directory.resolve("profile"),
            "about:blank")
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("chromium.log").toFile())
        .start();
  }

  private void connect() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    URI pages = URI.create("http://127.0.0.1:" + DEBUG_PORT + "/json");
    long end = System.currentTimeMillis() + PATIENCE;
    while (socket == null) {
      try {
        String said =
            client.send(HttpRequest.newBuilder(pages).build(), BodyHandlers.ofString()).body();
        String page = MAPPER.readTree(said).path(0).path("webSocketDebuggerUrl").asText();
        socket = client.newWebSocketBuilder().buildAsync(URI.create(page), this).get();
      } catch (IOException | IllegalArgumentException e) {
        if (System.currentTimeMillis() > end) {
          throw e;
        }
        Thread.sleep(200);
      }
    }
    for (String domain : List.of("Runtime", "Log", "Page")) {
      call(domain + ".enable", MAPPER.createObjectNode());
    }
  }

  private void look(String link, Path directory) throws Exception {
    int wide = 0;
    long wrong = 0;
    long packets = 0;
    long saved = 0;
    for (String scheme : List.of("light", "dark")) {
      for (int width : List.of(1280, 390)) {
        size(scheme, width);
        call("Page.navigate", MAPPER.createObjectNode().put("url", link));
        await(WHOLE);
        JsonNode compared = MAPPER.readTree(evaluate(COMPARE).asText());
        wrong += compared.path("wrong").asLong();
        packets = compared.path("packets").asLong();
        saved = compared.path("saved").asLong();
        wide += evaluate("document.documentElement.scrollWidth").asInt() > width ? 1 : 0;
        picture(directory.resolve("dashboard-" + scheme + "-" + width + ".png"));
      }
    }
    for (JsonNode line : MAPPER.readTree(evaluate(TEXTS).asText())) {
      System.out.println("shows " + line.asText());
    }
    System.out.printf("wrong=%d wide=%d packets=%d saved=%d%n", wrong, wide, packets, saved);
    String before = evaluate(FIRST_CONTAINER).asText();
    System.out.println("looking");
    while (evaluate(FIRST_CONTAINER).asText().equals(before)) {
      Thread.sleep(50);
    }
    System.out.printf("changed=%d%n", System.currentTimeMillis());
    await(GONE + " > 0");
    System.out.printf("gone=%d errors=%d%n", evaluate(GONE).asLong(), errors.get());
  }

  private void size(String scheme, int width) throws Exception {
    ObjectNode media = MAPPER.createObjectNode();
    media.putArray("features").addObject().put("name", "prefers-color-scheme").put("value", scheme);
    call("Emulation.setEmulatedMedia", media);
    call(
        "Emulation.setDeviceMetricsOverride",
        MAPPER
            .createObjectNode()
            .put("width", width)
            .put("height", 1000)
            .put("deviceScaleFactor", 1)
            .put("mobile", false));
  }

  private void await(String condition) throws Exception {
    long end = System.currentTimeMillis() + PATIENCE;
    while (!evaluate(condition).asBoolean()) {
      if (System.currentTimeMillis() > end) {
        throw new IOException("the page never said " + condition);
      }
      Thread.sleep(50);
    }
  }

  private void picture(Path file) throws Exception {
    ObjectNode whole = MAPPER.createObjectNode().put("captureBeyondViewport", true);
    JsonNode taken = call("Page.captureScreenshot", whole);
    Files.write(file, Base64.getDecoder().decode(taken.path("data").asText()));
  }

  private JsonNode evaluate(String script) throws Exception {
    JsonNode answer = call("Runtime.evaluate", MAPPER.createObjectNode().put("expression", script));
    if (answer.has("exceptionDetails")) {
      throw new IOException("the page: " + answer.path("exceptionDetails"));
    }
    return answer.path("result").path("value");
  }

  private JsonNode call(String method, ObjectNode parameters) throws Exception {
    ObjectNode request = MAPPER.createObjectNode().put("id", ++number).put("method", method);
    request.set("params", parameters);
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    waiting.put(number, answer);
    socket.sendText(request.toString(), true).get();
    return answer.get(PATIENCE, TimeUnit.MILLISECONDS);
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    text.append(data);
    if (last) {
      take(text.toString());
      text.setLength(0);
    }
    from.request(1);
    return null;
  }

  private void take(String message) {
    try {
      JsonNode event = MAPPER.readTree(message);
      if (event.has("id")) {
        waiting.remove(event.path("id").asInt()).complete(event.path("result"));
      } else if (isError(event)) {
        errors.incrementAndGet();
        System.out.println("the console: " + event.path("params"));
      }
    } catch (IOException e) {
      System.out.println("the browser: " + e.getMessage());
    }
  }

  private static boolean isError(JsonNode event) {
    return switch (event.path("method").asText()) {
      case "Runtime.exceptionThrown" -> true;
      case "Runtime.consoleAPICalled" -> event.path("params").path("type").asText().equals("error");
      case "Log.entryAdded" ->
          event.path("params").path("entry").path("level").asText().equals("error");
      default -> false;
    };
  }
}
