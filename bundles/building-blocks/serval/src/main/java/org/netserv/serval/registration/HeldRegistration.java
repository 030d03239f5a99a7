// SPDX-License-Identifier: Apache-2.0
package org.netserv.serval.registration;

import java.nio.ByteBuffer;
import javax.crypto.Mac;
import org.netserv.serval.Endpoint;
import org.netserv.serval.ServicePrefix;

/** A registration that a router has taken. */
final class HeldRegistration {
  /** The parts of a registration that it replaces another one by. */
  record Key(ServicePrefix prefix, Endpoint host, String owner) {}

  final long handle;
  final Key key;
  final int weight;
  final Mac mac;
  final ByteBuffer cookie;

  /** The end of the delegation behind it in seconds since 1970. */
  final long rightUntil;

  long counter;

  /** The end of the rule in milliseconds of the desk's time. */
  long until;

  HeldRegistration(long handle, Key key, int weight, Mac mac, ByteBuffer cookie, long rightUntil) {
    this.handle = handle;
    this.key = key;
    this.weight = weight;
    this.mac = mac;
    this.cookie = cookie;
    this.rightUntil = rightUntil;
  }
}
