// SPDX-License-Identifier: Apache-2.0
package org.netserv.provider.path;

import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ProbeKind;
import org.netserv.provider.config.ProviderConfig.PathSettings;
import org.netserv.publisher.Destination;
import org.netserv.publisher.PathAnswer;
import org.netserv.publisher.PublisherClient;

/** Sends by the publisher's library. */
public final class ClientPort implements PathPort {
  private final PublisherClient client;
  private final ModuleDraft draft;
  private final PathSettings settings;
  private final Executor loop;

  /**
   * A port for one module.
   *
   * @param loop the provider's thread
   */
  public ClientPort(
      PublisherClient client, ModuleDraft draft, PathSettings settings, Executor loop) {
    this.client = client;
    this.draft = draft;
    this.settings = settings;
    this.loop = loop;
  }

  private interface Asking {
    CompletionStage<PathAnswer> ask(Destination path) throws NcmException;
  }

  @Override
  public void probe(InetAddress to, Listener listener) {
    ask(to, path -> client.probe(path, ProbeKind.NODE), listener);
  }

  @Override
  public void setup(String nodeId, InetAddress to, Listener listener) {
    ask(to, path -> client.setup(draft.setup(nodeId), path), listener);
  }

  @Override
  public void remove(String nodeId, InetAddress to, Listener listener) {
    ask(to, path -> client.remove(draft.remove(nodeId), path), listener);
  }

  private void ask(InetAddress to, Asking asking, Listener listener) {
    CompletionStage<PathAnswer> stage;
    try {
      Duration budget = Duration.ofSeconds(settings.budget());
      InetAddress from = source(to);
      stage = asking.ask(new Destination(to, from, budget, settings.tls()));
    } catch (NcmException | IllegalArgumentException e) {
      stage = CompletableFuture.failedStage(e);
    }
    stage.whenComplete((answer, failure) -> tell(listener, answer, failure));
  }

  /** Returns the configured source if it is of the same IP version. */
  private InetAddress source(InetAddress to) {
    InetAddress from = settings.from();
    return from != null && from.getAddress().length == to.getAddress().length ? from : null;
  }

  private void tell(Listener listener, PathAnswer answer, Throwable failure) {
    String reason = failure == null ? "" : String.valueOf(failure.getMessage());
    try {
      loop.execute(() -> listener.answered(answer, reason));
    } catch (RejectedExecutionException e) {
      // The provider has ended; nobody waits for the answer.
      return;
    }
  }
}
