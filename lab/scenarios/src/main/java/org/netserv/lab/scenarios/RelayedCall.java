// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.Wait;
import org.netserv.lab.testbed.tool.RtpCaller;

/**
 * A call by sipp from behind a NAT, through the SIP server. Its sound goes through a TURN server,
 * whose relayed address is in the SDP. The callee's sipp sends each RTP packet back, and each is
 * checked.
 */
final class RelayedCall {
  private static final String CALLER = "caller";
  private static final String ADDRESS = "10.9.0.10";
  private static final int PACKET_MILLIS = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /**
   * One second of the call.
   *
   * @param back packets of this second that came back
   * @param micros median of their round trips
   */
  record Second(int second, int back, long micros) {}

  /**
   * The end of a call.
   *
   * @param numbers sent, back, wrong, again, gap, median and tail, as RtpCaller counts
   * @param completed whether the BYE was answered
   */
  record Result(Map<String, Long> numbers, List<Second> seconds, boolean completed) {
    long of(String name) throws IOException {
      Long number = numbers.get(name);
      if (number == null) {
        throw new LabException("the caller did not say " + name + ": " + numbers);
      }
      return number;
    }
  }

  /** Is told of each second of the call. */
  interface Watcher {
    void second() throws IOException;
  }

  private final Testbed testbed;
  private final String name;
  private final int packets;
  private final Path log;

  /**
   * Makes no call yet.
   *
   * @param name new, for its files
   * @param packets RTP packets, 50 a second
   */
  RelayedCall(Testbed testbed, String name, int packets) {
    this.testbed = testbed;
    this.name = name;
    this.packets = packets;
    this.log = testbed.state().resolve("answered-" + name);
  }

  /**
   * Calls and returns when it is over.
   *
   * @param turn address of the TURN server
   * @param callee user name at the SIP server
   * @param to address of the callee's sound
   */
  Result make(
      String turn, String secret, String sip, String callee, String to, int port, Watcher watcher)
      throws IOException {
    Process media =
        testbed.converse(
            CALLER,
            "rtp-" + name,
            Testbed.tool(RtpCaller.class, turn, secret, "echo", to, port, packets));
    try (BufferedReader said = media.inputReader(StandardCharsets.US_ASCII)) {
      String relayed = said.readLine();
      if (relayed == null || !relayed.matches("relayed [0-9.]+:[0-9]+")) {
        throw new LabException(
            "no relay at " + turn + ": " + relayed + "\n" + testbed.tail(CALLER, "rtp-" + name, 5));
      }
      Process call = call(sip, callee, relayed.substring("relayed ".length()).split(":", -1));
      Wait.until("an answer to the call", PATIENCE, () -> answered(call));
      media.getOutputStream().write('\n');
      media.getOutputStream().flush();
      while (!media.waitFor(0, TimeUnit.SECONDS)) {
        watcher.second();
      }
      boolean completed =
          call.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) && call.exitValue() == 0;
      call.destroy();
      return result(said, completed);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted");
    } finally {
      media.destroy();
    }
  }

  private boolean answered(Process call) throws IOException {
    if (!call.isAlive()) {
      throw new LabException("the call failed:\n" + testbed.tail(CALLER, "sipp-" + name, 15));
    }
    return Files.exists(log) && Files.readString(log).contains("answered");
  }

  private Process call(String sip, String callee, String[] relayed) throws IOException {
    Path scenario =
        CalledAgents.filled(
            "sipp/call-media.xml",
            testbed.state().resolve("call-media-" + name + ".xml"),
            Map.of(
                "NAME",
                callee,
                "MILLIS",
                Integer.toString(packets * PACKET_MILLIS),
                "ADDRESS",
                relayed[0],
                "PORT",
                relayed[1]));
    return testbed.spawn(
        CALLER,
        "sipp-" + name,
        List.of(
            "sipp",
            "-t",
            "u1",
            "-sf",
            scenario.toString(),
            "-i",
            ADDRESS,
            "-m",
            "1",
            "-nostdin",
            "-trace_logs",
            "-log_file",
            log.toString(),
            sip + ":5060"));
  }

  private static Result result(BufferedReader said, boolean completed) throws IOException {
    List<Second> seconds = new ArrayList<>();
    Map<String, Long> numbers = new HashMap<>();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("second")) {
        seconds.add(
            new Second(
                Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3])));
      } else if (words[0].startsWith("sent=")) {
        for (String word : words) {
          String[] pair = word.split("=", -1);
          numbers.put(pair[0], Long.parseLong(pair[1]));
        }
      }
    }
    return new Result(numbers, seconds, completed);
  }
}
