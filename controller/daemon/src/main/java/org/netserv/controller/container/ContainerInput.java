// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

/** Takes an event of a container's life. */
@FunctionalInterface
interface ContainerInput {
  /**
   * Fires the event.
   *
   * @param why reason, for people
   */
  void fire(Container container, ContainerEvent event, String why);
}
