// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.agents;

import java.net.InetAddress;
import java.util.Objects;
import org.netserv.values.Addresses;
import org.netserv.values.BadValueException;
import org.netserv.values.Numbers;

/**
 * A user agent as the server sees it.
 *
 * @param address source of its packets: behind a NAT, the NAT's
 * @param port source port, 1 to 65535
 * @param aor address of record; empty for an agent that is known by its keep-alives alone
 */
public record Agent(InetAddress address, int port, String aor) {
  public Agent {
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(aor, "aor");
  }

  /** An agent that keeps its binding alive. */
  public static Agent keepingAlive(InetAddress address, int port) {
    return new Agent(address, port, "");
  }

  public boolean registered() {
    return !aor.isEmpty();
  }

  /** The text that {@link #parse} reads: address, port and AOR with one space between them. */
  public String key() {
    return Addresses.print(address) + " " + port + " " + aor;
  }

  /** Reads the text of {@link #key}. */
  public static Agent parse(String key) throws BadValueException {
    String[] words = key.split(" ", 3);
    int port = words.length == 3 ? Numbers.decimal(words[1], 65535) : -1;
    if (port < 1) {
      throw new BadValueException("not an agent: " + BadValueException.quote(key));
    }
    return new Agent(Addresses.parse(words[0]), port, words[2]);
  }
}
