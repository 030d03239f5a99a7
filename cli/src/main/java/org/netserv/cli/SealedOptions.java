// SPDX-License-Identifier: Apache-2.0
package org.netserv.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.command.CommandException;
import org.netserv.command.ExitCode;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.ncm.Sealed;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.values.BadValueException;
import picocli.CommandLine.Option;

/** Properties of a SETUP that its nodes alone can read, and not the network between them. */
final class SealedOptions {
  @Option(
      names = "--sealed",
      paramLabel = "KEY=VALUE",
      description = {
        "Configuration that the nodes of the path alone can read; repeatable. A PROBE asks for",
        "their keys first. With --known it is sealed to these nodes only."
      })
  Map<String, String> texts = new LinkedHashMap<>();

  @Option(
      names = "--sealed-file",
      paramLabel = "KEY=FILE",
      description = "The same with the content of a file, in base64, such as a PKCS #12.")
  Map<String, Path> files = new LinkedHashMap<>();

  boolean isEmpty() {
    return texts.isEmpty() && files.isEmpty();
  }

  /** Returns all properties by name. */
  Map<String, String> properties() throws CommandException {
    Map<String, String> all = new LinkedHashMap<>(texts);
    for (Map.Entry<String, Path> file : files.entrySet()) {
      try {
        byte[] bytes = Files.readAllBytes(file.getValue());
        all.put(file.getKey(), Base64.getEncoder().encodeToString(bytes));
      } catch (IOException e) {
        throw new CommandException(
            ExitCode.USAGE, "--sealed-file: cannot read " + file.getValue(), e);
      }
    }
    return all;
  }

  /**
   * Seals properties to the nodes of an answer.
   *
   * @param knownOnly whether nodes that are not known are left out
   * @throws IOException if there is no node to seal to
   * @throws BadValueException if the properties are too long, or the nodes too many
   */
  static String seal(Map<String, String> properties, PathAnswer answer, boolean knownOnly)
      throws IOException, BadValueException {
    List<PublicKey> keys =
        answer.nodes().stream()
            .filter(node -> node.signer() == Signer.VERIFIED || !knownOnly)
            .map(NodeAnswer::key)
            .filter(key -> key != null)
            .toList();
    if (keys.isEmpty()) {
      throw new IOException(
          knownOnly
              ? "--sealed: no known node answered on the path"
              : "--sealed: no node answered on the path");
    }
    return Sealed.encrypt(properties, keys);
  }
}
