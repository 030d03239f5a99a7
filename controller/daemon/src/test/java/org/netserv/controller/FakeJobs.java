// SPDX-License-Identifier: Apache-2.0
package org.netserv.controller;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.netserv.controller.job.BundleStore;
import org.netserv.controller.job.FetchOrder;
import org.netserv.controller.job.FetchOutcome;
import org.netserv.controller.job.Jobs;
import org.netserv.controller.job.NotifyOrder;
import org.netserv.controller.loop.Loop;

/** Fetches that succeed at once, or wait for {@link #release}. */
public final class FakeJobs implements Jobs {
  public final List<FetchOrder> fetched = new ArrayList<>();
  public final List<NotifyOrder> told = new ArrayList<>();
  public FetchOutcome fail;
  public boolean hold;

  /** Wall clock at which the certificates of all bundles expire. */
  public long goodUntil = Long.MAX_VALUE;

  private final Deque<Runnable> held = new ArrayDeque<>();
  private final Loop loop;
  private final BundleStore store;

  public FakeJobs(Loop loop, BundleStore store) {
    this.loop = loop;
    this.store = store;
  }

  @Override
  public void fetch(FetchOrder order, Consumer<FetchOutcome> done) {
    fetched.add(order);
    Runnable end = () -> loop.execute(() -> done.accept(outcome(order)));
    if (hold) {
      held.add(end);
    } else {
      end.run();
    }
  }

  private FetchOutcome outcome(FetchOrder order) {
    if (fail != null) {
      return fail;
    }
    String sha256 = order.sha256().orElse("ab".repeat(32));
    try {
      store.put(sha256, order.version().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return FetchOutcome.stored(sha256, goodUntil);
  }

  /** Lets the oldest held fetch end. */
  public void release() {
    held.remove().run();
  }

  @Override
  public void tell(NotifyOrder order) {
    told.add(order);
  }

  @Override
  public int running() {
    return held.size();
  }
}
