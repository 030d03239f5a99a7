// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.security.SecureRandom;

/** GIST of an initiator on this host. */
final class HostEngine {
  private HostEngine() {}

  static Engine start(boolean routerAlert, SecureRandom random) {
    throw new IllegalStateException("no GIST yet " + routerAlert + random);
  }
}
