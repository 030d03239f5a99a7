// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.security.PublicKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.netserv.artifact.job.JobRequest;
import org.netserv.controller.job.FetchOrder;
import org.netserv.controller.job.NotifyOrder;
import org.netserv.controller.ncm.DelegationGrant;
import org.netserv.controller.ncm.Publisher;
import org.netserv.controller.spawner.ContainerSpec;
import org.netserv.filter.FlowFilter;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.policy.ContainerPrefixes;
import org.netserv.policy.FastPathPolicy;
import org.netserv.policy.IsolationPolicy;
import org.netserv.policy.PacketLimits;
import org.netserv.policy.Plane;
import org.netserv.policy.Quotas;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/** Policy made by hand. Publishers have one key, and all their filters get one prefix. */
final class FakeSettings implements NodeSettings {
  final Map<String, FakePublisher> publishers = new LinkedHashMap<>();
  Optional<String> reloadError = Optional.empty();
  Set<String> leftOut = Set.of();
  Set<String> acceptMissing = Set.of();
  Set<String> require = Set.of();
  String operator = "";
  long diskReserve;
  String trust = "anchors";

  /** Each quota of each publisher. */
  int quotas = 100;

  int spares = 1;
  int standby;
  List<String> fastPath = List.of();
  FastPathPolicy.Forward forward = FastPathPolicy.Forward.KERNEL;

  FakePublisher add(String name, PublicKey key) {
    FakePublisher publisher = new FakePublisher(name, publishers.size(), key);
    publishers.put(name, publisher);
    return publisher;
  }

  static final class FakePublisher implements Publisher {
    private final String name;
    int index;
    private final PublicKey key;
    boolean revoked;
    boolean legacy;
    boolean publicModules;
    int setups = 1000;
    int modules = 10;
    String prefix = "192.0.2.0/24";
    Map<String, String> properties = Map.of();
    NcmException refusal;
    DelegationGrant delegation;

    FakePublisher(String name, int index, PublicKey key) {
      this.name = name;
      this.index = index;
      this.key = key;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public int index() {
      return index;
    }

    @Override
    public List<PublicKey> keys() {
      return List.of(key);
    }

    @Override
    public boolean revoked() {
      return revoked;
    }

    @Override
    public Map<String, String> properties() {
      return properties;
    }

    @Override
    public boolean legacy() {
      return legacy;
    }

    @Override
    public int setupsPerMinute() {
      return setups;
    }

    @Override
    public int maxModules() {
      return modules;
    }

    @Override
    public List<FlowFilter> authorise(Ncm ncm) throws NcmException {
      if (refusal != null) {
        throw refusal;
      }
      List<FlowFilter> filters = new ArrayList<>();
      for (var ports : ncm.filterPorts()) {
        try {
          filters.add(
              new FlowFilter(
                  4,
                  17,
                  null,
                  Prefix.parse(prefix),
                  null,
                  ports,
                  ncm.filterSample().orElse(0),
                  false,
                  null,
                  ncm.filterCount().orElse(null),
                  0));
        } catch (org.netserv.values.BadValueException e) {
          throw new NcmException(403, Header.FILTER_PREFIX, e.getMessage());
        }
      }
      for (var port : ncm.takenPorts()) {
        try {
          filters.add(FlowFilter.take(Prefix.parse(prefix), port.port(), port.inside()));
        } catch (org.netserv.values.BadValueException e) {
          throw new NcmException(403, Header.TAKE, e.getMessage());
        }
      }
      return filters;
    }

    @Override
    public boolean mayReach(java.net.InetAddress address, boolean copies) {
      try {
        return Prefix.parse(prefix).contains(address);
      } catch (org.netserv.values.BadValueException e) {
        return false;
      }
    }

    @Override
    public boolean publicModules() {
      return publicModules;
    }

    @Override
    public int memory() {
      return 128;
    }

    @Override
    public int cpu() {
      return 50;
    }

    @Override
    public Optional<DelegationGrant> delegation() {
      return Optional.ofNullable(delegation);
    }

    @Override
    public List<String> grants() {
      return List.of("prefix " + prefix);
    }
  }

  @Override
  public Optional<Publisher> find(String user) {
    return Optional.ofNullable(publishers.get(user));
  }

  @Override
  public List<Publisher> all() {
    return List.copyOf(publishers.values());
  }

  @Override
  public long window() {
    return 300_000;
  }

  @Override
  public int probesPerMinute() {
    return 3;
  }

  @Override
  public Optional<String> reload() {
    return reloadError;
  }

  @Override
  public IsolationPolicy isolation() {
    return new IsolationPolicy(leftOut, acceptMissing, require);
  }

  @Override
  public boolean operator(String user) {
    return user.equals(operator);
  }

  @Override
  public boolean setSysctl() {
    return false;
  }

  @Override
  public List<String> interfaces() {
    return List.of();
  }

  @Override
  public ContainerPrefixes containerPrefixes() {
    try {
      return new ContainerPrefixes(Prefix.parse("10.77.64.0/18"), Prefix.parse("fd00:1:2::/48"));
    } catch (BadValueException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public List<Integer> packetProcessors() {
    return List.of(2, 5);
  }

  @Override
  public Optional<ContainerSpec> start(String user) {
    int q = quotas;
    return Optional.ofNullable(publishers.get(user))
        .map(
            p ->
                new ContainerSpec(
                    user,
                    700_000 + p.index,
                    100 + 2 * p.index,
                    OptionalInt.empty(),
                    new Quotas(q, q, q, q, q, q, q, q, q, q, q, q, q, q, q),
                    new PacketLimits(20, 1000, 64),
                    Plane.QUEUE,
                    List.of(),
                    List.of(),
                    List.of(),
                    Set.of(),
                    List.of(),
                    List.of(),
                    Set.of()));
  }

  @Override
  public FastPathPolicy fastPath() {
    return new FastPathPolicy(fastPath, FastPathPolicy.Mode.AUTO, forward);
  }

  @Override
  public String trust(String user) {
    return trust;
  }

  @Override
  public boolean afxdp(String user) {
    return false;
  }

  @Override
  public int spareJobs() {
    return 1;
  }

  @Override
  public int standby() {
    return standby;
  }

  @Override
  public int spares() {
    return spares;
  }

  @Override
  public boolean isSpare(long uid) {
    return uid >= 770_000 && uid < 770_256;
  }

  @Override
  public Optional<String> userOf(long uid) {
    return publishers.values().stream()
        .filter(p -> p.index == uid - 700_000)
        .map(p -> p.name)
        .findFirst();
  }

  @Override
  public OptionalInt queue(String user) {
    return publishers.containsKey(user)
        ? OptionalInt.of(2 * publishers.get(user).index)
        : OptionalInt.empty();
  }

  @Override
  public String nodeId() {
    return "a".repeat(26);
  }

  @Override
  public JobRequest fetchRequest(FetchOrder order) {
    return JobRequest.fetch(
        order.url(),
        null,
        order.sha256().orElse(null),
        List.of(),
        null,
        order.module(),
        order.version(),
        17);
  }

  @Override
  public JobRequest notifyRequest(NotifyOrder order) {
    return JobRequest.notify(order.url(), null, "netserv.notify", Map.of("module", order.module()));
  }

  @Override
  public List<String> fetchAllowed() {
    return List.of("192.0.2.0/24");
  }

  @Override
  public List<String> fetchDenied() {
    return List.of();
  }

  @Override
  public List<Integer> fetchPorts() {
    return List.of(80, 443);
  }

  @Override
  public int maxBytes(String user) {
    return 1000;
  }

  @Override
  public int memoryMib() {
    return 128;
  }

  @Override
  public int timeoutSeconds() {
    return 30;
  }
}
