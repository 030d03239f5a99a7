// SPDX-License-Identifier: Apache-2.0
package org.netserv.publisher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.values.Addresses;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Node-ids in a file, one on each line as {@code NODE-ID} or {@code NODE-ID ADDRESS}. Empty lines
 * and text after a {@code #} are for people.
 */
final class KnownFile implements KnownNodes {
  private static final Logger LOG = LoggerFactory.getLogger(KnownFile.class);
  private static final Pattern NODE_ID = Pattern.compile("[a-z2-7]{26}");

  private final Path file;
  private final boolean learns;

  /** Node-id to the address where it was first seen; empty = not stated. */
  private final Map<String, String> nodes = new LinkedHashMap<>();

  /**
   * Opens the file. The file of a list that is only read must exist. A list that learns begins
   * empty without a file.
   */
  KnownFile(Path file, boolean learns) throws IOException {
    this.file = file;
    this.learns = learns;
    try {
      load(Files.readAllLines(file, StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      if (!learns) {
        throw e;
      }
    }
  }

  private void load(List<String> lines) throws IOException {
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).replaceFirst("#.*", "").strip();
      if (line.isEmpty()) {
        continue;
      }
      String[] words = line.split("\\s+", 2);
      if (!NODE_ID.matcher(words[0]).matches()) {
        throw new IOException(file + " line " + (i + 1) + ": no node-id at its beginning");
      }
      nodes.put(words[0], words.length > 1 ? words[1] : "");
    }
  }

  @Override
  public synchronized Set<String> ids() {
    return Set.copyOf(nodes.keySet());
  }

  @Override
  public synchronized void seen(NodeAnswer node) {
    if (!learns || node.signer() != Signer.UNKNOWN || nodes.containsKey(node.nodeId())) {
      return;
    }
    String address = Addresses.print(node.address());
    if (nodes.containsValue(address)) {
      LOG.warn("{} says it is {}, which {} knows as another node", node.nodeId(), address, file);
      return;
    }
    try {
      String line = node.nodeId() + " " + address + "\n";
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      nodes.put(node.nodeId(), address);
    } catch (IOException e) {
      LOG.warn("{} is not added to {}: {}", node.nodeId(), file, e.toString());
    }
  }
}
