// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;

/**
 * The options of sald that an operator chooses.
 *
 * @param port UDP port of SAL
 * @param orders file with orders; empty = none
 * @param nativeForm true if data may go as plain TCP
 */
public record SaldOptions(int port, String orders, boolean nativeForm) {

  /** Returns the options. {@code orders} may be null. */
  public static SaldOptions of(int port, Path orders, boolean nativeForm) {
    String file = orders == null ? "" : orders.toAbsolutePath().toString();
    return new SaldOptions(port, file, nativeForm);
  }

  void check() throws CommandException {
    if (port < 1 || port > 65_535) {
      throw new CommandException(ExitCode.USAGE, "--port " + port + ": 1 to 65535");
    }
    if (!orders.isEmpty()) {
      HostCheck.file("--orders", Path.of(orders));
    }
  }

  List<String> words() {
    List<String> words = new ArrayList<>(List.of("--port", Integer.toString(port)));
    if (!orders.isEmpty()) {
      words.addAll(List.of("--orders", orders));
    }
    if (nativeForm) {
      words.add("--native");
    }
    return words;
  }

  void into(ObjectNode document) {
    document.put("port", port).put("orders", orders).put("native", nativeForm);
  }

  static SaldOptions read(JsonNode document) {
    return new SaldOptions(
        document.path("port").asInt(),
        document.path("orders").asText(),
        document.path("native").asBoolean());
  }
}
