// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The desired state of the node: a pure fold over the log. No clock is read, because records carry
 * their times. The same records give the same state, and {@code fold(image(fold(a)) + b) = fold(a +
 * b)}.
 *
 * <p>Memory of freshness is bounded by time. Nonces are kept as long as their message could be
 * fresh, and sequence numbers of gone modules for a day. Both are dropped when a later record is
 * folded, and by the clock ({@link #forget}).
 */
public final class DesiredState {
  /** The name under which the sequence numbers of revocations are remembered. */
  public static final String REVOKE = "* revoke";

  private static final long SEQ_MEMORY_MILLIS = 24 * 3_600_000L;

  private final Map<String, Integer> publishers = new TreeMap<>();
  private final Map<ModuleKey, DesiredModule> modules = new TreeMap<>();
  private final Map<ModuleKey, FetchedBundle> bundles = new TreeMap<>();
  private final Map<ModuleKey, StateImage.Seq> seqs = new TreeMap<>();
  private final Map<NonceKey, StateImage.Nonce> nonces = new TreeMap<>();
  private final Map<ModuleKey, StateImage.Revocation> revocations = new TreeMap<>();

  public static DesiredState fold(Iterable<LogRecord> records) {
    DesiredState state = new DesiredState();
    records.forEach(state::apply);
    return state;
  }

  /** Folds one record in. A record about an absent module changes nothing. */
  void apply(LogRecord record) {
    if (record instanceof LogRecord.Setup setup) {
      setup(setup);
    } else if (record instanceof LogRecord.Remove remove) {
      remove(remove);
    } else if (record instanceof LogRecord.Fetch fetch) {
      fetch(fetch);
    } else if (record instanceof LogRecord.Fetched fetched) {
      bundles.computeIfPresent(
          new ModuleKey(fetched.user(), fetched.module()),
          (key, old) -> old.sha256().equals(fetched.sha256()) ? old.stored(fetched) : old);
    } else if (record instanceof LogRecord.Dropped dropped) {
      drop(dropped);
    } else if (record instanceof LogRecord.Revoked revoked) {
      revoke(revoked);
    } else if (record instanceof LogRecord.Running running) {
      module(running.user(), running.module()).ifPresent(m -> m.confirm(running.sha256()));
    } else if (record instanceof LogRecord.Failed failed) {
      ModuleKey key = new ModuleKey(failed.user(), failed.module());
      module(key).filter(m -> !m.fallBack()).ifPresent(m -> modules.remove(key));
    } else if (record instanceof LogRecord.Lapsed lapsed) {
      dropClaim(new ModuleKey(lapsed.user(), lapsed.module()), lapsed.session());
    } else if (record instanceof LogRecord.Ended ended) {
      modules.remove(new ModuleKey(ended.user(), ended.module()));
    } else if (record instanceof LogRecord.SeqReset reset) {
      seqs.keySet().removeIf(key -> isOf(key, reset));
    } else if (record instanceof LogRecord.Quarantined out) {
      module(out.user(), out.module()).ifPresent(m -> m.quarantine(out.version(), out.reason()));
    } else if (record instanceof LogRecord.Released released) {
      module(released.user(), released.module()).ifPresent(DesiredModule::release);
    } else if (record instanceof LogRecord.Answered answered) {
      nonces.computeIfPresent(
          new NonceKey(answered.user(), answered.nonce()),
          (key, old) ->
              new StateImage.Nonce(
                  old.user(), old.nonce(), old.until(), old.bytes(), answered.answer()));
    } else if (record instanceof LogRecord.Enrolled enrolled) {
      publishers.putIfAbsent(enrolled.user(), enrolled.index());
    } else if (record instanceof LogRecord.Image image) {
      restore(image.state());
    }
  }

  private static boolean isOf(ModuleKey key, LogRecord.SeqReset reset) {
    return key.user().equals(reset.user())
        && (reset.module() == null
            || key.module().equals(reset.module())
            || key.module().startsWith(reset.module() + " "));
  }

  private void setup(LogRecord.Setup setup) {
    ModuleKey key = new ModuleKey(setup.user(), setup.module());
    remember(numbered(key, setup.delegate()), setup.fresh(), setup.time());
    modules.computeIfAbsent(key, DesiredModule::new).accept(setup);
  }

  private void fetch(LogRecord.Fetch fetch) {
    ModuleKey key = new ModuleKey(fetch.user(), fetch.module());
    remember(key, fetch.fresh(), fetch.time());
    FetchedBundle old = bundles.get(key);
    boolean same = old != null && old.is(fetch.version(), fetch.sha256());
    bundles.put(key, same ? old.claimed(fetch) : FetchedBundle.of(fetch));
  }

  private void drop(LogRecord.Dropped dropped) {
    ModuleKey key = new ModuleKey(dropped.user(), dropped.module());
    remember(key, dropped.fresh(), dropped.time());
    bundles.computeIfPresent(
        key,
        (same, old) ->
            dropped.session() == null ? null : old.dropped(dropped.session()).orElse(null));
  }

  private void remove(LogRecord.Remove remove) {
    ModuleKey key = new ModuleKey(remove.user(), remove.module());
    remember(numbered(key, remove.delegate()), remove.fresh(), remove.time());
    if (remove.module().equals("*")) {
      bundles.keySet().removeIf(k -> k.user().equals(remove.user()));
      modules.keySet().removeIf(k -> k.user().equals(remove.user()));
    } else {
      dropClaim(key, remove.session());
    }
  }

  /** Returns the key of sequence numbers. Each delegate has numbers of its own. */
  private static ModuleKey numbered(ModuleKey key, Delegate delegate) {
    return delegate == null ? key : new ModuleKey(key.user(), key.module() + delegate.mark());
  }

  private void revoke(LogRecord.Revoked revoked) {
    remember(new ModuleKey(revoked.user(), REVOKE), revoked.fresh(), revoked.time());
    for (String item : revoked.items()) {
      revocations.put(
          new ModuleKey(revoked.user(), item),
          new StateImage.Revocation(revoked.user(), item, revoked.until()));
    }
    modules
        .values()
        .removeIf(m -> m.key().user().equals(revoked.user()) && m.drop(revoked.items()));
  }

  private void dropClaim(ModuleKey key, String session) {
    module(key).filter(m -> m.drop(session)).ifPresent(m -> modules.remove(key));
  }

  private void remember(ModuleKey key, LogRecord.Freshness fresh, long now) {
    forget(now);
    if (fresh != null) {
      seqs.put(key, new StateImage.Seq(key.user(), key.module(), fresh.seq(), now));
      nonces.put(
          new NonceKey(key.user(), fresh.nonce()),
          new StateImage.Nonce(
              key.user(),
              fresh.nonce(),
              fresh.until(),
              fresh.bytes(),
              new LogRecord.Answer(202, null, "under way")));
    }
  }

  /**
   * Drops nonces of messages that are no longer fresh, and sequence numbers that are older than a
   * day, of modules that are gone.
   *
   * @param now wall clock, milliseconds since 1970
   */
  void forget(long now) {
    nonces.values().removeIf(n -> n.until() < now);
    revocations.values().removeIf(r -> r.until() < now);
    seqs.entrySet()
        .removeIf(
            s ->
                !modules.containsKey(s.getKey())
                    && !bundles.containsKey(s.getKey())
                    && s.getValue().time() + SEQ_MEMORY_MILLIS < now);
  }

  public Optional<DesiredModule> module(ModuleKey key) {
    return Optional.ofNullable(modules.get(key));
  }

  private Optional<DesiredModule> module(String user, String module) {
    return module(new ModuleKey(user, module));
  }

  /** Returns all modules, by user and name. */
  public List<DesiredModule> modules() {
    return List.copyOf(modules.values());
  }

  public List<DesiredModule> modulesOf(String user) {
    return modules.values().stream().filter(m -> m.key().user().equals(user)).toList();
  }

  public Optional<FetchedBundle> bundle(ModuleKey key) {
    return Optional.ofNullable(bundles.get(key));
  }

  /** Returns all bundles that were fetched, or are to be, for a later SETUP. */
  public List<FetchedBundle> bundles() {
    return List.copyOf(bundles.values());
  }

  public List<FetchedBundle> bundlesOf(String user) {
    return bundles.values().stream().filter(b -> b.user().equals(user)).toList();
  }

  /** Returns true if the present version of a module is made of this bundle. */
  public boolean runs(FetchedBundle bundle) {
    return module(bundle.key())
        .filter(m -> bundle.is(m.current().version(), m.current().sha256()))
        .isPresent();
  }

  /** Returns the last accepted sequence number of (user, module), if one is remembered. */
  public OptionalLong lastSeq(ModuleKey key) {
    StateImage.Seq seq = seqs.get(key);
    return seq == null ? OptionalLong.empty() : OptionalLong.of(seq.seq());
  }

  /** Tells whether a publisher has revoked a serial number or, behind {@code key:}, a delegate. */
  public boolean revoked(String user, String item) {
    return revocations.containsKey(new ModuleKey(user, item));
  }

  /** Returns the number of revocations of a publisher that are remembered. */
  public long revocationsOf(String user) {
    return revocations.keySet().stream().filter(key -> key.user().equals(user)).count();
  }

  /** Returns the modules of a publisher with a remembered sequence number; {@code *} among them. */
  public List<String> seqsOf(String user) {
    return seqs.keySet().stream()
        .filter(key -> key.user().equals(user))
        .map(ModuleKey::module)
        .toList();
  }

  public Optional<StateImage.Nonce> nonce(String user, String nonce) {
    return Optional.ofNullable(nonces.get(new NonceKey(user, nonce)));
  }

  public OptionalInt index(String user) {
    Integer index = publishers.get(user);
    return index == null ? OptionalInt.empty() : OptionalInt.of(index);
  }

  /** Returns the publisher that was given a container index, now or ever. */
  public Optional<String> userOf(int index) {
    return publishers.entrySet().stream()
        .filter(e -> e.getValue() == index)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Returns the container indexes given so far, with the indexes of publishers that are gone. */
  public List<Integer> indexes() {
    return List.copyOf(publishers.values());
  }

  public StateImage image() {
    List<StateImage.Publisher> names = new ArrayList<>();
    publishers.forEach((user, index) -> names.add(new StateImage.Publisher(user, index)));
    return new StateImage(
        names,
        modules.values().stream().map(DesiredModule::image).toList(),
        List.copyOf(seqs.values()),
        List.copyOf(nonces.values()),
        List.copyOf(revocations.values()),
        List.copyOf(bundles.values()));
  }

  private void restore(StateImage image) {
    publishers.clear();
    modules.clear();
    seqs.clear();
    nonces.clear();
    revocations.clear();
    bundles.clear();
    image.publishers().forEach(p -> publishers.put(p.user(), p.index()));
    image
        .modules()
        .forEach(m -> modules.put(new ModuleKey(m.user(), m.module()), DesiredModule.of(m)));
    image.bundles().forEach(b -> bundles.put(b.key(), b));
    image.seqs().forEach(s -> seqs.put(new ModuleKey(s.user(), s.module()), s));
    image.nonces().forEach(n -> nonces.put(new NonceKey(n.user(), n.nonce()), n));
    image.revocations().forEach(r -> revocations.put(new ModuleKey(r.user(), r.item()), r));
  }

  private record NonceKey(String user, String nonce) implements Comparable<NonceKey> {
    @Override
    public int compareTo(NonceKey other) {
      int byUser = user.compareTo(other.user);
      return byUser != 0 ? byUser : nonce.compareTo(other.nonce);
    }
  }
}
