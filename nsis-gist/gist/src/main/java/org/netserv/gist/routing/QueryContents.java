// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

/** The contents of a session's next Query, as far as its messages and its application decide. */
final class QueryContents {
  private short hops = Messages.HOPS;
  private boolean association;
  private boolean secure;
  private byte[] payload;

  /** Returns the GIST hop count, that of the last message which had one. */
  int hops() {
    return hops;
  }

  void hops(int count) {
    hops = (short) count;
  }

  /** Returns whether the Query asks for an association; {@link #secure}: with TLS. */
  boolean association() {
    return association;
  }

  boolean secure() {
    return secure;
  }

  /** Asks for what a message needs, from now on. */
  void want(boolean byAssociation, boolean byTls) {
    association |= byAssociation;
    secure |= byTls;
  }

  /** Returns the application's payload; null = none. */
  byte[] payload() {
    return payload;
  }

  void payload(byte[] bytes) {
    payload = bytes;
  }

  /** Returns whether there can be less in the Query. */
  boolean canShrink() {
    return payload != null || !association;
  }

  /** Leaves out the payload, and lets messages wait for an association. */
  void shrink() {
    payload = null;
    association = true;
  }
}
