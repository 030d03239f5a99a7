// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.ncm;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.netserv.controller.fastpath.FastPath;
import org.netserv.controller.isolation.Isolation;
import org.netserv.controller.log.ModuleKey;
import org.netserv.controller.loop.Loop;
import org.netserv.controller.module.FetchedBundles;
import org.netserv.controller.module.ModuleLife;
import org.netserv.controller.module.Modules;
import org.netserv.frames.Json;
import org.netserv.ncm.Header;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ProbeKind;
import org.netserv.process.FairRate;
import org.netserv.process.RateLimit;
import org.netserv.process.StrangerRate;
import org.netserv.values.Addresses;

/**
 * Answers PROBEs. Strangers learn that the node is there, its version, and whether a module of that
 * name runs. Only known publishers learn about resources and policy, in coarse steps. An answer
 * always fits one response entry.
 */
public final class ProbeAnswers {
  /** PROBEs a minute by one publisher. */
  static final int PUBLISHER_PER_MINUTE = 300;

  /** Lines of grants in an answer. An entry holds 4096 bytes. */
  private static final int GRANTS_MAX = 16;

  private static final int GRANT_CHARACTERS = 100;

  /** Modules of the asking publisher in an answer about the node. */
  private static final int MODULES_MAX = 16;

  /** Characters of the names and versions of these modules. */
  private static final int MODULES_CHARACTERS = 1024;

  private final Loop loop;
  private final Modules modules;
  private final Publishers publishers;
  private final RateLimit rate = new RateLimit();
  private final FairRate strangers = new FairRate(StrangerRate.WINDOW);
  private final NodeFacts facts;
  private final HostLoad host;
  private final Isolation isolation;
  private final FastPath fastPath;

  public ProbeAnswers(
      Loop loop,
      Modules modules,
      Publishers publishers,
      NodeFacts facts,
      HostLoad host,
      Isolation isolation,
      FastPath fastPath) {
    this.loop = loop;
    this.modules = modules;
    this.publishers = publishers;
    this.facts = facts;
    this.host = host;
    this.isolation = isolation;
    this.fastPath = fastPath;
  }

  ObjectNode answer(Ncm ncm, Optional<Publisher> publisher, Optional<Origin> origin)
      throws NcmException {
    boolean known = publisher.isPresent();
    if (known) {
      publisherRate(publisher.get());
    } else {
      strangerRate(origin);
    }
    ObjectNode data = Json.object();
    for (ProbeKind kind : ncm.probes()) {
      if (!known && kind != ProbeKind.NODE && kind != ProbeKind.MODULE) {
        throw NcmAdmission.refusal(
            403, Header.PROBE, kind.text() + " is answered to known publishers only");
      }
      switch (kind) {
        case MODULE -> module(data, ncm, publisher);
        case NODE -> node(data.putObject("node"), ncm, publisher);
        case RESOURCES -> resources(data.putObject("resources"), publisher.get());
        case CAPABILITIES -> capabilities(data.putObject("capabilities"));
        case POLICY -> policy(data.putObject("policy"), publisher.get());
      }
    }
    return data;
  }

  private void publisherRate(Publisher publisher) throws NcmException {
    if (!rate.take("publisher " + publisher.name(), PUBLISHER_PER_MINUTE, loop.monotonic())) {
      throw NcmAdmission.refusal(
          429, null, "more than " + PUBLISHER_PER_MINUTE + " PROBEs a minute");
    }
  }

  /**
   * Limits the PROBEs of strangers. They have a rate for each source, and peers have their shares
   * of a rate for all. The signaling daemon has already refused messages above these limits.
   * Messages that it lets through in two of its windows may come in one of these.
   */
  private void strangerRate(Optional<Origin> origin) throws NcmException {
    int limit = publishers.probesPerMinute();
    String source = origin.map(Origin::flowOfPeer).orElse("operator");
    if (!rate.take("stranger " + source, limit, loop.monotonic())) {
      throw NcmAdmission.refusal(429, null, "more than " + limit + " PROBEs a minute from there");
    }
    String peer = origin.map(o -> o.peer().host()).orElse("operator");
    if (!strangers.take(peer, 2 * StrangerRate.budget(limit), loop.monotonic())) {
      throw NcmAdmission.refusal(429, null, "too many PROBEs of strangers by " + peer);
    }
  }

  /**
   * Answers about a module. A publisher sees its own module. A stranger sees whether a public
   * module of that name runs.
   */
  private void module(ObjectNode data, Ncm ncm, Optional<Publisher> publisher) {
    List<ModuleLife> lives =
        modules.lives().stream()
            .filter(l -> l.key().module().equals(ncm.name()))
            .filter(l -> publisher.isEmpty() || l.key().user().equals(publisher.get().name()))
            .toList();
    ObjectNode module = data.putObject("module").put("module", ncm.name());
    if (publisher.isEmpty()) {
      module.put("state", lives.stream().anyMatch(this::visible) ? "running" : "absent");
      return;
    }
    Optional<FetchedBundles.Kept> kept =
        modules.fetched().find(new ModuleKey(publisher.get().name(), ncm.name()));
    if (!lives.isEmpty()) {
      ModuleLife life = lives.get(0);
      module
          .put("state", modules.path().state(life))
          .put("version", life.order().version())
          .put("because", cut(modules.path().because(life)));
      kept.ifPresent(bundle -> fetched(module.putObject("fetched"), bundle));
    } else if (kept.isPresent()) {
      fetched(module, kept.get());
    } else {
      module.put("state", "absent");
    }
  }

  private static void fetched(ObjectNode to, FetchedBundles.Kept bundle) {
    to.put("state", bundle.state())
        .put("version", bundle.order().version())
        .put("because", cut(bundle.because()));
  }

  private boolean visible(ModuleLife life) {
    return life.state().established()
        && modules.path().bypassed(life).isEmpty()
        && publishers.find(life.key().user()).map(Publisher::publicModules).orElse(false);
  }

  /**
   * Answers about the node. Its uptime is not for strangers, because it says when the node was last
   * patched. A publisher hears of its own modules, and a delegate of none.
   */
  private void node(ObjectNode node, Ncm ncm, Optional<Publisher> publisher) {
    node.put("id", facts.nodeId())
        .put("version", facts.version())
        .put("address", Addresses.print(facts.address()));
    if (publisher.isPresent()) {
      node.put("uptime", (loop.monotonic() - facts.startedAt()) / 1000);
      if (ncm.delegation().isEmpty()) {
        list(node.putArray("modules"), publisher.get());
      }
    }
  }

  /** Lists the publisher's modules, as many as leave room for the rest of the answer. */
  private void list(ArrayNode to, Publisher publisher) {
    int characters = 0;
    for (ModuleLife life : modules.livesOf(publisher.name())) {
      characters += life.key().module().length() + life.order().version().length();
      if (to.size() == MODULES_MAX || characters > MODULES_CHARACTERS) {
        return;
      }
      to.addObject()
          .put("module", life.key().module())
          .put("version", life.order().version())
          .put("state", modules.path().state(life));
    }
  }

  /**
   * Answers about resources. The numbers are coarse on purpose: enough to choose a node, too little
   * to watch its other guests.
   */
  private void resources(ObjectNode resources, Publisher publisher) {
    int processors = Runtime.getRuntime().availableProcessors();
    long own =
        modules.lives().stream().filter(l -> l.key().user().equals(publisher.name())).count()
            + modules.fetched().besideModules(publisher.name());
    long containers = modules.lives().stream().map(l -> l.key().user()).distinct().count();
    resources
        .put("processors", processors)
        .put("containers", step(containers))
        .put("modules", step(modules.lives().size()))
        .put("modulesLeft", Math.max(0, publisher.maxModules() - own));
    host.load(processors).ifPresent(load -> resources.put("load", load));
    host.memory().ifPresent(memory -> resources.put("memory", memory));
  }

  private static String step(long count) {
    return count == 0 ? "none" : count < 10 ? "few" : count < 50 ? "some" : "many";
  }

  private void capabilities(ObjectNode capabilities) {
    BlockProfile profile = facts.profile();
    capabilities.put("profile", profile.name());
    ObjectNode blocks = capabilities.putObject("blocks");
    profile.blocks().forEach((name, version) -> blocks.put(name, version.toString()));
    ArrayNode layers = capabilities.putArray("layers");
    isolation.layers().forEach(layers::add);
    ArrayNode missing = capabilities.putArray("missing");
    isolation.missing().forEach(missing::add);
    ObjectNode covered = capabilities.putObject("covered");
    isolation.covered().forEach((layer, by) -> by.forEach(covered.withArray("/" + layer)::add));
    ArrayNode planes = capabilities.putArray("planes").add("netfilter-queue");
    Set<String> offered = fastPath.offered();
    if (offered.contains("afxdp")) {
      planes.add("afxdp");
    }
    ArrayNode features = capabilities.putArray("fastPath");
    offered.forEach(features::add);
    capabilities.put("filterCount", fastPath.cannotCount().isEmpty());
    capabilities.put("jvm", System.getProperty("java.version", ""));
  }

  private void policy(ObjectNode policy, Publisher publisher) {
    policy
        .put("publisher", publisher.name())
        .put("setupsPerMinute", publisher.setupsPerMinute())
        .put("modules", publisher.maxModules())
        .put("memory", publisher.memory())
        .put("cpu", publisher.cpu());
    ArrayNode refused = policy.putArray("refusedWithout");
    isolation.refusing(publisher.name()).forEach(refused::add);
    ArrayNode grants = policy.putArray("grants");
    publisher.grants().stream().limit(GRANTS_MAX).forEach(g -> grants.add(cut(g)));
  }

  private static String cut(String text) {
    return text.length() > GRANT_CHARACTERS ? text.substring(0, GRANT_CHARACTERS) : text;
  }
}
