// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.ServalFiles;

/**
 * Floods a host of sald and a host of Java with SYNs from addresses of nobody. A transfer from
 * before goes on, clients connect by name during and after the flood, and the strangers leave no
 * more than the bound of requests. The long form waits until these are gone, too.
 */
public final class ServalFlood implements Scenario {
  private static final String USER = ServalEnds.USER;
  private static final String SERVER = ServalEnds.SERVER;
  private static final String ADDRESS = "192.0.2.10";
  private static final int SAL_PORT = ServalEnds.PORT;
  private static final int JAVA_PORT = 7000;
  private static final int BYTES = 4_000_000;

  private static final int SYNS = 100_000;
  private static final int RATE = 40_000;

  /** Requests that a host keeps, by docs/protocols/serval.md. */
  private static final int REQUESTS = 256;

  /** Connections of a user while the flood goes on. */
  private static final int HONEST = 20;

  private static final Duration GONE = Duration.ofSeconds(70);

  private final boolean waits;
  private final ComparedRows rows = new ComparedRows("host", "what");
  private Stage stage;
  private Testbed testbed;
  private SalHost user;
  private PlainWeb web;

  private ServalFlood(boolean waits) {
    this.waits = waits;
  }

  public static ServalFlood full() {
    return new ServalFlood(true);
  }

  public static ServalFlood quick() {
    return new ServalFlood(false);
  }

  @Override
  public String topology() {
    return "serval-hosts";
  }

  /** Numbers of a flooded host. */
  private interface Numbers {
    long of(String name) throws IOException;
  }

  @Override
  public boolean play(Stage theStage) throws IOException {
    stage = theStage;
    testbed = stage.testbed();
    stage.step("nginx with sald and a Java host at the server, sald at the user");
    ServalEnds.wholeChecksums(testbed);
    ServalEnds ends = ServalEnds.start(testbed, BYTES);
    SalHost server = ends.server;
    user = ends.user;
    web = ends.web;
    server.order("register id=4001 port=" + PlainWeb.PORT);
    Tool.start(testbed, SERVER, "java", ServalFiles.class, ADDRESS, JAVA_PORT, "4002", web.file())
        .await("ready");
    name("sald", "4001", SAL_PORT);
    name("java", "4002", JAVA_PORT);
    Numbers sald = name -> number(server, name);
    Numbers java = this::number;
    flood("sald", "4001", SAL_PORT, sald);
    flood("java", "4002", JAVA_PORT, java);
    if (waits) {
      stage.step("the requests of strangers end");
      gone("sald", sald);
      gone("java", java);
    }
    stage.show(rows.table());
    return rows.hold();
  }

  private void name(String host, String id, int port) throws IOException {
    user.order("name name=" + host + ".serval id=" + id);
    user.order("forward id=" + id + " to=" + ADDRESS + ":" + port);
  }

  private static long number(SalHost host, String name) throws IOException {
    JsonNode status = host.view("status");
    boolean verdict = name.equals("answered") || name.equals("proven");
    String key = name.toUpperCase(Locale.ROOT);
    return verdict ? status.path("verdicts").path(key).asLong() : status.path(name).asLong();
  }

  /** Reads the last whole line that the Java host has printed. */
  private long number(String name) throws IOException {
    Wait.pause(500);
    for (String word : testbed.tail(SERVER, "java", 1).split(" ", -1)) {
      if (word.startsWith(name + "=")) {
        return Long.parseLong(word.substring(name.length() + 1));
      }
    }
    throw new LabException("the Java host says nothing of " + name);
  }

  private void flood(String host, String id, int port, Numbers numbers) throws IOException {
    String url = "http://" + host + ".serval:" + PlainWeb.PORT + "/file";
    String whole = "curl -sS -m 60 " + url;
    stage.step(SYNS + " SYNs to the host of " + host);
    rows.row(host, "digest before the flood", web.digest(), user.digest(whole));
    String slow = whole + "?rate=1m | sha256sum && echo done=1";
    String log = stage.unique("transfer-" + host);
    Tool transfer = user.begin(log, slow);
    Wait.pause(300);
    Tool flood =
        Tool.start(
            testbed,
            "flooder",
            stage.unique("syns-" + host),
            List.of(
                LabHome.dist().resolve("bin/lab-syns").toString(),
                "10.77.0.0",
                ADDRESS,
                Integer.toString(port),
                id,
                Integer.toString(SYNS),
                Integer.toString(RATE)));
    Wait.until("the flood to be felt", GONE, () -> numbers.of("answered") > 0);
    rows.row(host, "connections during the flood", HONEST, honest(url));
    rows.row(host, "digest during the flood", web.digest(), user.digest(whole));
    Map<String, Long> sent = flood.result(60);
    rows.row(host, "SYNs sent", SYNS, sent.get("sent"));
    transfer.result(60);
    String seen = testbed.tail(USER, log, 3).split(" ", 2)[0];
    rows.row(host, "digest of the transfer from before", web.digest(), seen);
    rows.row(host, "connections after the flood", HONEST, honest(url));
    rows.row(
        host, "flows proven without state", "some", numbers.of("proven") > 0 ? "some" : "none");
    long requests = numbers.of("requests");
    rows.row(host, "requests of strangers", "at most " + REQUESTS, most(requests, REQUESTS));
  }

  /** Counts connections, one after the other, that give the first bytes of the file. */
  private long honest(String url) throws IOException {
    String one = "curl -sS -m 20 -r 0-0 -o /dev/null -w '%{http_code}\\n' " + url;
    String all = "for i in $(seq " + HONEST + "); do " + one + "; done";
    return user.run(all).lines().filter(line -> line.matches("20[06]")).count();
  }

  private void gone(String host, Numbers numbers) throws IOException {
    Wait.until("the requests at " + host, GONE, () -> numbers.of("requests") == 0);
    long flows = numbers.of("flows");
    rows.row(host, "requests left", 0, numbers.of("requests"));
    rows.row(host, "flows left, of our own alone", "at most 100", most(flows, 100));
  }

  private static String most(long seen, long bound) {
    return seen <= bound ? "at most " + bound : Long.toString(seen);
  }
}
