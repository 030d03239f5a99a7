// SPDX-License-Identifier: Apache-2.0
package org.netserv.servicerouter.core;

/** The preferences of rules by their origin. The rules of properties and registrations have 0. */
public final class Preference {
  public static final int STORE = -10;
  public static final int DNS = -20;
  public static final int FLOOD = -30;

  /** Of a DELAY that holds packets until a look-up answers. */
  public static final int LOOKUP = -35;

  public static final int PARENT = -40;

  private Preference() {}
}
