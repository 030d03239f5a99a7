// SPDX-License-Identifier: Apache-2.0
package org.netserv.http.cache;

import org.netserv.http.Octets;

/** Cache directives (RFC 9111, 5.2.1 and 5.2.2, and RFC 5861), each with its kind of argument. */
public enum Directive {
  MAX_AGE("max-age", Argument.SECONDS),
  S_MAXAGE("s-maxage", Argument.SECONDS),
  MAX_STALE("max-stale", Argument.OPTIONAL_SECONDS),
  MIN_FRESH("min-fresh", Argument.SECONDS),
  STALE_WHILE_REVALIDATE("stale-while-revalidate", Argument.SECONDS),
  STALE_IF_ERROR("stale-if-error", Argument.SECONDS),
  NO_CACHE("no-cache", Argument.NAMES),
  PRIVATE("private", Argument.NAMES),
  NO_STORE("no-store", Argument.NONE),
  NO_TRANSFORM("no-transform", Argument.NONE),
  ONLY_IF_CACHED("only-if-cached", Argument.NONE),
  MUST_REVALIDATE("must-revalidate", Argument.NONE),
  MUST_UNDERSTAND("must-understand", Argument.NONE),
  PROXY_REVALIDATE("proxy-revalidate", Argument.NONE),
  PUBLIC("public", Argument.NONE);

  static final int COUNT = values().length;

  private static final Directive[] VALUES = values();

  private final String text;
  private final Argument argument;

  /** Kinds of argument. */
  enum Argument {
    NONE,
    SECONDS,
    OPTIONAL_SECONDS,
    /** A list of field names, or nothing. */
    NAMES
  }

  Directive(String text, Argument argument) {
    this.text = text;
    this.argument = argument;
  }

  /** Returns the directive of a name in any case, or null: unknown directives are ignored. */
  static Directive of(byte[] bytes, int start, int end) {
    for (Directive directive : VALUES) {
      if (Octets.same(bytes, start, end, directive.text)) {
        return directive;
      }
    }
    return null;
  }

  public String text() {
    return text;
  }

  Argument argument() {
    return argument;
  }

  int bit() {
    return 1 << place();
  }

  /** The directive's place in an array of COUNT. */
  @SuppressWarnings("EnumOrdinal") // the arrays live as long as the JVM and no longer
  int place() {
    return ordinal();
  }
}
