// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.serval;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A part of the bench, with a testbed of its own. */
public enum Part {
  ROUTER("serval-bench"),
  RULES("serval-bench"),
  REGISTRATIONS("serval-bench"),
  WITHDRAWAL("serval-withdrawal"),
  TCP("serval-tcp"),
  LINK("serval-tcp"),
  CONNECT("serval-connect"),
  TRANSLATOR("serval-translators"),
  ENDPOINT("serval-endpoint"),
  MOVE("serval-mobile");

  final String topology;

  Part(String topology) {
    this.topology = topology;
  }

  /** Returns the name on the command line. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the names of all parts. */
  public static String all() {
    return Arrays.stream(values()).map(Part::text).collect(Collectors.joining(", "));
  }
}
