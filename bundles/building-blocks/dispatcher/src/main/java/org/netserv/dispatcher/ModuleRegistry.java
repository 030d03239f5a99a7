// SPDX-License-Identifier: Apache-2.0
package org.netserv.dispatcher;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.netserv.host.PacketPort;
import org.netserv.packet.PktProcessor;

/**
 * Brings together the modules that the agent names and the services that their bundles register, in
 * whatever order they come, and makes the chain of them. Not on the packet path.
 */
final class ModuleRegistry {
  /** Modules at a time: indexes in the status buffer. */
  static final int MOST = 256;

  /** A registered service. */
  private record Service(long bundleId, PktProcessor processor, int rank) {}

  private final Map<String, Module> byName = new LinkedHashMap<>();
  private final Map<Module, Long> ages = new HashMap<>();
  private final Map<Long, Service> services = new HashMap<>();
  private final BitSet indexes = new BitSet(MOST);
  private long nextAge;

  /** Adds a module, or gives the one of that name other filters. */
  synchronized void add(
      String name, long bundleId, ClassLoader loader, List<PacketFilter> filters) {
    Module module = byName.get(name);
    if (module != null && module.bundleId == bundleId) {
      module.filters(filters);
      return;
    }
    if (module != null) {
      remove(name);
    }
    int index = indexes.nextClearBit(0);
    if (index >= MOST) {
      throw new IllegalStateException("more than " + MOST + " modules");
    }
    indexes.set(index);
    module = new Module(name, bundleId, index, filters);
    byName.put(name, module);
    ages.put(module, nextAge++);
    PacketPort.host().module(index, name, loader);
  }

  /** Takes a module away; null if it is not there. Its services may stay registered. */
  synchronized Module remove(String name) {
    Module module = byName.remove(name);
    if (module != null) {
      module.remove();
      ages.remove(module);
      indexes.clear(module.index);
      PacketPort.host().module(module.index, null, null);
    }
    return module;
  }

  synchronized void service(long id, long bundleId, PktProcessor processor, int rank) {
    services.put(id, new Service(bundleId, processor, rank));
  }

  synchronized void serviceGone(long id) {
    services.remove(id);
  }

  /** The processors of a module's bundle. */
  synchronized List<PktProcessor> processors(String name) {
    Module module = byName.get(name);
    return services.values().stream()
        .filter(service -> module != null && service.bundleId() == module.bundleId)
        .map(Service::processor)
        .toList();
  }

  /** The module of a bundle, or null. */
  synchronized Module ofBundle(long bundleId) {
    return byName.values().stream()
        .filter(module -> module.bundleId == bundleId)
        .findFirst()
        .orElse(null);
  }

  synchronized List<ModuleCounters> counters() {
    return byName.values().stream().map(Module::counters).toList();
  }

  /** The chain as it is now. */
  synchronized ChainStage[] chain() {
    List<ChainStage> stages = new ArrayList<>();
    services.forEach(
        (id, service) -> {
          Module module = ofBundle(service.bundleId());
          if (module != null && !module.isOut()) {
            stages.add(
                new ChainStage(module, service.processor(), service.rank(), ages.get(module), id));
          }
        });
    stages.sort(ChainStage.ORDER);
    return stages.toArray(ChainStage[]::new);
  }
}
