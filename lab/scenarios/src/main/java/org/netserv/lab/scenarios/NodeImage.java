// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeDaemon;
import org.netserv.lab.testbed.Testbed;

/**
 * An image of everything that a SETUP can leave on a node. Modules and containers come from the
 * node's own status, firewall rules and links of its namespace from the kernel, job directories and
 * stored bundles from the disk. Two images of a node are equal if nothing happened between them.
 */
record NodeImage(Map<String, String> parts) {
  static NodeImage take(Testbed testbed, String node, NodeClient client) throws IOException {
    Map<String, String> parts = new LinkedHashMap<>();
    JsonNode status = client.status();
    List<String> modules = new ArrayList<>();
    List<String> containers = new ArrayList<>();
    for (JsonNode container : status.path("containers")) {
      String publisher = container.path("publisher").asText();
      if (container.path("pid").asLong() > 0) {
        containers.add(publisher + " " + container.path("pid").asLong());
      }
      for (JsonNode module : container.path("modules")) {
        modules.add(publisher + " " + text(module, "module", "version", "state"));
      }
    }
    parts.put("modules", modules.toString());
    parts.put("containers", containers.toString());
    parts.put("jobs", status.path("jobs").asText());
    Path root = NodeDaemon.root(testbed, node);
    parts.put("job directories", names(root.resolve("run/netserv/jobs")));
    parts.put("stored bundles", names(root.resolve("var/lib/netserv/bundles")));
    for (String program : List.of("iptables-nft", "ip6tables-nft")) {
      for (String table : List.of("raw", "filter", "nat")) {
        parts.put(program + " " + table, testbed.run(node, program, "-w", "-t", table, "-S"));
      }
    }
    parts.put("links", testbed.run(node, "ip", "-o", "-br", "link"));
    return new NodeImage(parts);
  }

  /** Returns the first part that another image has otherwise, or empty if both are equal. */
  Optional<String> difference(NodeImage other) {
    return parts.keySet().stream()
        .filter(part -> !parts.get(part).equals(other.parts.get(part)))
        .map(part -> part + ": " + parts.get(part).strip() + " => " + other.parts.get(part).strip())
        .findFirst();
  }

  private static String text(JsonNode from, String... fields) {
    return String.join(" ", Stream.of(fields).map(field -> from.path(field).asText()).toList());
  }

  private static String names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList().toString();
    }
  }
}
