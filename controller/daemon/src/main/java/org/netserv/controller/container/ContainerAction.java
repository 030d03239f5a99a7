// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

/** An action of {@link Containers} on a transition, after the state has changed. */
public enum ContainerAction {
  NOTHING,
  /** The event has no meaning in this state. It is logged and changes nothing. */
  UNEXPECTED,
  START,
  AWAIT_HELLO,
  /** Tell the modules that the agent is there. */
  LINK_UP,
  /** Tell the modules that the agent is gone. The container may still live. */
  LINK_DOWN,
  STOP,
  /** Stop the container with a thread dump, and tell the modules. */
  STOP_WITH_DUMP,
  /** Stop the container, and tell the modules. */
  STOP_UNFIT,
  /** Tell the modules that the container is gone, and try again later. */
  BACK_OFF,
  /** The container is gone and nobody wants it. */
  FORGET
}
