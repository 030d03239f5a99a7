// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.tool.KeepAliveStream;

/** A user agent that sends keep-alives to the neighbour's module, from beginning to end. */
final class Neighbour implements Closeable {
  private static final int RATE = 50;
  private static final int MOST = 100_000;
  private static final int PORT = 4999;
  private static final Pattern RESULT = Pattern.compile("sent=(\\d+) answered=(\\d+)");

  private final Process process;

  Neighbour(Testbed testbed, String server) throws IOException {
    process =
        testbed.converse(
            "user",
            "neighbour",
            Testbed.tool(KeepAliveStream.class, server, 5060, RATE, MOST, PORT, "until-eof"));
  }

  /** Counts of sent and answered keep-alives. */
  record Result(long sent, long answered) {
    double percent() {
      return sent == 0 ? 0 : 100.0 * answered / sent;
    }
  }

  /** Ends the user agent and returns its counts. */
  Result result() throws IOException {
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    Matcher matcher = RESULT.matcher(said);
    if (!matcher.find()) {
      throw new LabException("the neighbour's user agent said: " + said);
    }
    return new Result(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
  }

  @Override
  public void close() throws IOException {
    process.destroy();
  }
}
