// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.Tool;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.EndlessFile;

/**
 * A transfer by name that lasts as long as an attack: curl at the user reads a file that the server
 * makes, until {@link #end}. Its bytes, and the names of curl's socket, show whether the attack was
 * felt.
 */
final class LiveTransfer implements Closeable {
  static final String ID = "00004002";
  private static final int PORT = 8090;
  private static final int PIECE = 4000; // bytes in each 20 ms
  private static final String NAME = "live.serval";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Testbed testbed;
  private final ServalEnds ends;
  private final Process server;
  private final BufferedReader said;
  private final String log;
  private Tool curl;

  private LiveTransfer(Testbed testbed, ServalEnds ends, Process server, String log) {
    this.testbed = testbed;
    this.ends = ends;
    this.server = server;
    this.log = log;
    said = server.inputReader(StandardCharsets.US_ASCII);
  }

  /** Registers the service, and begins the transfer over both routers. */
  static LiveTransfer start(Testbed testbed, ServalRouters routers, ServalEnds ends)
      throws IOException {
    Process server =
        testbed.converse(
            ServalEnds.SERVER,
            testbed.unique("endless"),
            Testbed.tool(EndlessFile.class, PORT, PIECE));
    LiveTransfer made = new LiveTransfer(testbed, ends, server, testbed.unique("live"));
    made.said(); // it is ready
    long rules = routers.rules(ServalRouters.FAR);
    ends.server.keep("register id=" + ID + " port=" + PORT);
    Wait.until("the rule", PATIENCE, () -> routers.rules(ServalRouters.FAR) >= rules + 1);
    ends.user.keep("name name=" + NAME + " id=" + ID);
    String read = "curl -sS -m 1800 http://" + NAME + ":" + PORT + "/ | sha256sum";
    made.curl = ends.user.begin(made.log, read);
    Wait.until("the transfer", PATIENCE, () -> made.bytes() > PIECE);
    return made;
  }

  private String said() throws IOException {
    String line = said.readLine();
    if (line == null) {
      throw new LabException("the server of the live transfer has ended; see its log");
    }
    return line;
  }

  /** Returns the bytes that have come to the user. */
  long bytes() throws IOException {
    return flow(ends.user).path("bytes-in").asLong();
  }

  /** Returns the flow at one end, a missing node if the flow is not open there. */
  JsonNode flow(SalHost end) throws IOException {
    return ServalAttack.flow(end, ID);
  }

  /** Returns both ends of curl's connection, as the user's kernel has them. */
  String names() throws IOException {
    String view = "ss -Htn state established dport = :" + PORT + " | awk '{print $3, $4}'";
    return testbed.run(ServalEnds.USER, "sh", "-c", view).strip();
  }

  /** Tells whether bytes come now. */
  boolean grows() throws IOException {
    long before = bytes();
    ServalAttack.await(() -> bytes() > before ? 1 : 0, 1);
    return bytes() > before && curl.running();
  }

  /** Ends the transfer, and adds the row of its digest. */
  void end(ComparedRows rows) throws IOException {
    BufferedWriter orders = server.outputWriter(StandardCharsets.US_ASCII);
    orders.write("end\n");
    orders.flush();
    String sent = said();
    curl.result(60);
    rows.row(
        "digest of the transfer", sent, testbed.tail(ServalEnds.USER, log, 3).split(" ", 2)[0]);
  }

  @Override
  public void close() throws IOException {
    server.destroy();
    try {
      server.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
