// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.admin;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Changes of policy by an operator. They read and write files, on the loop's file thread. */
public interface PolicyAdmin {

  /**
   * Carries out one of {@code publisher-add}, {@code publisher-revoke}, {@code publisher-list},
   * {@code trust-add}.
   *
   * @return the fields of the reply
   * @throws AdminException with a text for the operator; nothing was changed
   */
  ObjectNode change(String op, ObjectNode request) throws AdminException;
}
