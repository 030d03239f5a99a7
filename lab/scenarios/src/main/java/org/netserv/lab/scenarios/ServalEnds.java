// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import java.io.IOException;
import java.util.List;
import org.netserv.lab.testbed.PlainWeb;
import org.netserv.lab.testbed.SalHost;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.VethCard;

/**
 * The two ends of a testbed of Serval: nginx with sald at the node {@code server}, and sald at the
 * node {@code user}.
 */
final class ServalEnds {
  static final String USER = "user";
  static final String SERVER = "server";
  static final int PORT = 54325;

  final PlainWeb web;
  final SalHost server;
  final SalHost user;

  private ServalEnds(PlainWeb web, SalHost server, SalHost user) {
    this.web = web;
    this.server = server;
    this.user = user;
  }

  /** Starts both ends. */
  static ServalEnds start(Testbed testbed, int bytes) throws IOException {
    PlainWeb web = PlainWeb.start(testbed, SERVER, PlainWeb.PORT, bytes);
    SalHost server = SalHost.start(testbed, SERVER, "eth0");
    return new ServalEnds(web, server, SalHost.start(testbed, USER, "eth0"));
  }

  /** Gives the ends cards, for a Java host: it verifies checksums itself. */
  static void wholeChecksums(Testbed testbed) throws IOException {
    for (String host : List.of(USER, SERVER)) {
      VethCard.of(testbed, host).addsChecksums();
    }
  }

  /** Downloads the file by a new connection, and returns its digest. */
  String download(String url) throws IOException {
    return user.digest("curl -sS -m 60 --connect-timeout 40 " + url);
  }
}
