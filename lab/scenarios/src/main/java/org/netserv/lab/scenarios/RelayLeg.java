// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.util.List;

/** A way from coturn's client to a TURN server of the testbed media-relay. */
enum RelayLeg {
  UDP("udp", false, ""),
  TCP("tcp", false, "-t"),
  TLS("tls", false, "-t -S"),
  DTLS("dtls", false, "-S"),
  UDP_6("udp6", true, ""),
  TCP_6("tcp6", true, "-t"),
  TLS_6("tls6", true, "-t -S"),
  DTLS_6("dtls6", true, "-S");

  static final String SERVER = "198.51.101.1";
  static final String SERVER_6 = "2001:db8:2::1";
  private static final String USER = "198.51.101.10";
  private static final String USER_6 = "2001:db8:2::10";

  private final String text;
  private final boolean six;
  private final String options;

  RelayLeg(String text, boolean six, String options) {
    this.text = text;
    this.six = six;
    this.options = options;
  }

  /** Returns the name in tables. */
  String text() {
    return text;
  }

  /** Returns the options of {@code turnutils_uclient} that choose this leg. */
  List<String> options() {
    return options.isEmpty() ? List.of() : List.of(options.split(" ", -1));
  }

  String server() {
    return six ? SERVER_6 : SERVER;
  }

  /** Returns the client's own address. */
  String user() {
    return six ? USER_6 : USER;
  }

  boolean isSix() {
    return six;
  }

  boolean isSecure() {
    return options.contains("-S");
  }

  boolean isStream() {
    return options.contains("-t");
  }
}
