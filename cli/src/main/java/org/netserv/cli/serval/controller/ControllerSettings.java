// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli.serval.controller;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.netserv.serval.Endpoint;
import org.netserv.serval.endpoint.Router;
import org.netserv.serval.registration.SigningKey;

/**
 * The settings of a host's controller.
 *
 * @param sald the program
 * @param socket of its orders
 * @param routers each with the key that signs
 * @param checks of services
 */
public record ControllerSettings(Path sald, Path socket, List<Router> routers, List<Check> checks) {
  private static final int SAL_PORT = 54_325;

  /** Copies the lists. */
  public ControllerSettings {
    routers = List.copyOf(routers);
    checks = List.copyOf(checks);
  }

  /**
   * Reads settings.
   *
   * @param routers ADDRESS or ADDRESS:PORT, at least one
   * @param checks ID=tcp or ID=http/PATH
   * @throws IllegalArgumentException with the bad word
   */
  public static ControllerSettings of(
      Path sald, Path socket, SigningKey key, List<String> routers, List<String> checks) {
    List<Router> all = new ArrayList<>();
    for (String text : routers) {
      Endpoint address = Texts.endpoint(text, SAL_PORT);
      if (address.isForMany()) {
        throw new IllegalArgumentException("no host has this address: " + text);
      }
      all.add(new Router(Router.PUBLISHED, address, key));
    }
    return new ControllerSettings(sald, socket, all, checks.stream().map(Check::parse).toList());
  }
}
