// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

/** The request of a message. The code is the value of the METHOD TLV. */
public enum Method {
  /** Install, refresh or replace a module. */
  SETUP(1),
  /** Take a module (or {@code *}: all of the publisher's modules) away. */
  REMOVE(2),
  /** Find nodes, and ask about their modules and properties. */
  PROBE(3);

  private final int code;

  Method(int code) {
    this.code = code;
  }

  /** The byte that stands for this method in the binary form, 1 to 3. */
  public int code() {
    return code;
  }

  /** S, R or P: the method in a table of headers. */
  char letter() {
    return name().charAt(0);
  }

  /** The method of that code, or null. */
  static Method ofCode(int code) {
    for (Method method : values()) {
      if (method.code == code) {
        return method;
      }
    }
    return null;
  }

  /** The method of that name as it stands in a request line (upper case), or null. */
  static Method ofName(String name) {
    for (Method method : values()) {
      if (method.name().equals(name)) {
        return method;
      }
    }
    return null;
  }
}
