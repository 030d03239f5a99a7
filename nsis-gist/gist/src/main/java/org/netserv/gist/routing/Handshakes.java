// SPDX-License-Identifier: Apache-2.0
package org.netserv.gist.routing;

import java.util.random.RandomGenerator;
import org.netserv.gist.GistSettings;
import org.netserv.gist.association.Associations;

/** The common part of all handshakes of a node, on either side. */
final class Handshakes {
  final GistSettings settings;
  final Associations associations;
  final Cookies cookies;
  final RandomGenerator random;
  final Departed departed = new Departed();
  final OutstandingQueries outstanding = new OutstandingQueries();

  Handshakes(
      GistSettings settings, Associations associations, Cookies cookies, RandomGenerator random) {
    this.settings = settings;
    this.associations = associations;
    this.cookies = cookies;
    this.random = random;
  }
}
