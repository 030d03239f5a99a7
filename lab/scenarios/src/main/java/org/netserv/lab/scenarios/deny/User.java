// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios.deny;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.tool.Asker;

/** The host {@code user}, which sends the scenario's packets. */
final class User implements Closeable {
  static final String NOTHING = "-";

  private final Process process;
  private final BufferedWriter orders;
  private final BufferedReader answers;

  User(Testbed testbed) throws IOException {
    process = testbed.converse("user", "asker", Testbed.tool(Asker.class));
    orders = process.outputWriter(StandardCharsets.US_ASCII);
    answers = process.inputReader(StandardCharsets.US_ASCII);
  }

  /** Sends an order to {@link Asker} and returns the answer. */
  synchronized String ask(String order) throws IOException {
    orders.write(order);
    orders.newLine();
    orders.flush();
    String answer = answers.readLine();
    if (answer == null) {
      throw new LabException("the user's host ended at: " + order);
    }
    return answer;
  }

  @Override
  public void close() throws IOException {
    process.destroy();
  }
}
