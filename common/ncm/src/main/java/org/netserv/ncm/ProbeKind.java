// SPDX-License-Identifier: Apache-2.0
package org.netserv.ncm;

import java.util.Locale;
import org.netserv.values.BadValueException;

/** The kinds of information that a PROBE asks for. */
public enum ProbeKind {
  /** State of the named module. */
  MODULE,
  /** Node-id, address and version. */
  NODE,
  /** Free resources in coarse steps; known publishers only. */
  RESOURCES,
  /** Abilities of the node: layers of isolation, planes, profile. */
  CAPABILITIES,
  /** The grants of the node's policy to the asking publisher. */
  POLICY;

  /** The word in a message. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static ProbeKind parse(String text) throws BadValueException {
    for (ProbeKind kind : values()) {
      if (kind.text().equals(text)) {
        return kind;
      }
    }
    throw new BadValueException(
        "not module, node, resources, capabilities or policy: " + BadValueException.quote(text));
  }
}
