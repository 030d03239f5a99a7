// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.spawner;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.netserv.policy.ConnectRule;
import org.netserv.policy.PacketLimits;
import org.netserv.policy.Plane;
import org.netserv.policy.Program;
import org.netserv.policy.Quotas;
import org.netserv.policy.RewriteRule;
import org.netserv.values.ServiceIdPrefix;

/**
 * A container to be started, as policy has it.
 *
 * @param user the publisher, whose name the container has
 * @param id user and group of its processes
 * @param queue of the kernel, for its packets
 * @param network index of its network; empty = none
 * @param rewrite addresses that its modules may write into packets
 * @param connect endpoints that its modules may connect to
 * @param listen endpoints of the node at which its modules serve
 * @param process programs that its host may have the spawner start
 * @param take connections to the publisher's prefixes that its modules may take
 * @param serval serviceIDs for which its service routers may have rules
 * @param without layers of isolation that it is started without
 */
public record ContainerSpec(
    String user,
    int id,
    int queue,
    OptionalInt network,
    Quotas quotas,
    PacketLimits limits,
    Plane plane,
    List<RewriteRule> rewrite,
    List<ConnectRule> connect,
    List<ConnectRule> listen,
    Set<Program> process,
    List<ConnectRule> take,
    List<ServiceIdPrefix> serval,
    Set<String> without) {

  public ContainerSpec {
    rewrite = List.copyOf(rewrite);
    connect = List.copyOf(connect);
    listen = List.copyOf(listen);
    process = Set.copyOf(process);
    take = List.copyOf(take);
    serval = List.copyOf(serval);
    without = Set.copyOf(without);
  }

  /** Returns the keys of the verb {@code start}. */
  Map<String, String> keys() {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("container", user);
    keys.put("uid", "" + id);
    keys.put("gid", "" + id);
    keys.put("queue", "" + queue);
    keys.putAll(size(quotas));
    keys.put("deadline", "" + limits.deadline());
    keys.put("steal", "" + limits.steal());
    keys.put("steal-max", "" + limits.stealMax());
    keys.put("rewrite", joined(rewrite));
    keys.put("network", network.isPresent() ? "" + network.getAsInt() : "none");
    keys.put("connect", joined(connect));
    keys.put("listen", joined(listen));
    keys.put("take", joined(take));
    keys.put("serval", joined(serval));
    keys.put("connections", "" + quotas.connections());
    keys.put("packets", "" + quotas.packetsPerSecond());
    keys.put("bytes", "" + quotas.bytesPerSecond());
    keys.put("disk", "" + quotas.disk());
    keys.put("inodes", "" + quotas.inodes());
    keys.put("flows", "" + quotas.flows());
    keys.put("plane", plane.text());
    keys.put("process", joined(process.stream().map(Program::text).sorted().toList()));
    keys.put("without", String.join(",", without));
    return keys;
  }

  /** Returns the keys that the verbs {@code start} and {@code spares} have in common. */
  static Map<String, String> size(Quotas quotas) {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("memory", "" + quotas.memory());
    keys.put("heap", "" + quotas.heap());
    keys.put("direct", "" + quotas.direct());
    keys.put("metaspace", "" + quotas.metaspace());
    keys.put("cpu", "" + quotas.cpu());
    keys.put("pids", "" + quotas.pids());
    keys.put("files", "" + quotas.files());
    return keys;
  }

  private static String joined(List<?> values) {
    return String.join(",", values.stream().map(Object::toString).toList());
  }
}
