// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of this command. The command prints it and sends it to the node. */
final class BuildVersion implements IVersionProvider {

  /** Returns the version in the manifest of the jar that this class comes from. */
  static String build() {
    String version = BuildVersion.class.getPackage().getImplementationVersion();
    return version == null ? "unpackaged" : version;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"netserv " + build()};
  }
}
