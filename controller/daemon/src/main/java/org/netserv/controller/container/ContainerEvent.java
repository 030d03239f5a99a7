// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

/** An event in the life of a container. */
public enum ContainerEvent {
  /** A module wants it. */
  NEED,
  /** The last module has gone. */
  RELEASE,
  /** The spawner says it runs. */
  STARTED,
  START_FAILED,
  /** The spawner lists it. It has lived on while the controller, or the connection, was away. */
  LISTED,
  /** Its agent has greeted. */
  HELLO,
  HELLO_TIMEOUT,
  /** The connection of its agent closed. */
  LINK_LOST,
  /** Its agent has not answered for too long. */
  UNRESPONSIVE,
  /** It lacks layers of isolation that policy demands. */
  UNFIT,
  /** It ended by itself, or its spawner did. */
  EXITED,
  /** The spawner has stopped it, as asked. */
  STOPPED,
  BACKOFF_OVER
}
