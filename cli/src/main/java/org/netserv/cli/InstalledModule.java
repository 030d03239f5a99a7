// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Parameters of commands that ask a node about one of its modules. */
final class InstalledModule {
  @Parameters(paramLabel = "MODULE", description = "Bundle symbolic name.")
  String name;

  @Option(
      names = "--publisher",
      paramLabel = "NAME",
      description = "Whose, if several have one of that name.")
  String publisher;

  /** Makes a request of the admin socket about the module. */
  ObjectNode request(String verb) {
    ObjectNode request = AdminClient.request(verb).put("module", name);
    if (publisher != null) {
      request.put("publisher", publisher);
    }
    return request;
  }
}
