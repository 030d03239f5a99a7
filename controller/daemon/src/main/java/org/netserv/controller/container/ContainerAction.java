// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.container;

/** What is to be done on a transition, after the state has changed. */
public enum ContainerAction {
  NOTHING,
  /** No meaning in this state: counted, logged, changes nothing. */
  UNEXPECTED,
  START,
  AWAIT_HELLO,
  /** Tell the modules that the agent is there. */
  LINK_UP,
  /** Tell the modules that it is gone; the container may still live. */
  LINK_DOWN,
  STOP,
  /** Stop it with a thread dump, and tell the modules. */
  STOP_WITH_DUMP,
  /** Stop it, and tell the modules. */
  STOP_UNFIT,
  /** Tell the modules that it is gone, and try again later. */
  BACK_OFF,
  /** It is gone and nobody wants it. */
  FORGET
}
