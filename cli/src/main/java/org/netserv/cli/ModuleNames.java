// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import org.netserv.values.BadValueException;
import org.netserv.values.Version;

/**
 * The name of a module on the command line: {@code SymbolicName_1.0.0}, {@code SymbolicName} or
 * {@code *}.
 */
final class ModuleNames {
  /**
   * A name in its parts.
   *
   * @param version null when there is none
   */
  record Parts(String symbolicName, String version) {}

  private ModuleNames() {}

  static Parts parse(String text) {
    int underscore = text.lastIndexOf('_');
    if (underscore > 0 && isVersion(text.substring(underscore + 1))) {
      return new Parts(text.substring(0, underscore), text.substring(underscore + 1));
    }
    return new Parts(text, null);
  }

  private static boolean isVersion(String text) {
    try {
      return !text.isEmpty() && Version.parse(text) != null;
    } catch (BadValueException e) {
      return false;
    }
  }
}
