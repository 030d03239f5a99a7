// SPDX-License-Identifier: Apache-2.0
package org.netserv.coverage.path;

import java.io.IOException;
import java.net.InetAddress;
import java.security.PublicKey;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.netserv.coverage.settings.PathSettings;
import org.netserv.ncm.NcmException;
import org.netserv.ncm.ProbeKind;
import org.netserv.ncm.ResponseStack.Signer;
import org.netserv.publisher.Destination;
import org.netserv.publisher.PathAnswer;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.BadValueException;

/** Sends by the publisher's library. */
public final class ClientPort implements PathPort {
  private static final int MOST_KEYS = 4096;

  private final PublisherClient client;
  private final ModuleDraft draft;
  private final PathSettings settings;
  private final Executor loop;

  /** Keys of nodes that have answered, for sealed properties. */
  private final Map<String, PublicKey> keys = Collections.synchronizedMap(new Keys());

  /**
   * A port for one module.
   *
   * @param loop the coverage's thread
   */
  public ClientPort(
      PublisherClient client, ModuleDraft draft, PathSettings settings, Executor loop) {
    this.client = client;
    this.draft = draft;
    this.settings = settings;
    this.loop = loop;
  }

  private interface Asking {
    CompletionStage<PathAnswer> ask(Destination path)
        throws NcmException, IOException, BadValueException;
  }

  /** The latest keys. */
  private static final class Keys extends LinkedHashMap<String, PublicKey> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, PublicKey> eldest) {
      return size() > MOST_KEYS;
    }
  }

  @Override
  public void probe(InetAddress to, Listener listener) {
    ask(to, path -> client.probe(path, ProbeKind.NODE), listener);
  }

  @Override
  public void setup(String nodeId, InetAddress to, Listener listener) {
    ask(to, path -> client.setup(draft.setup(nodeId, key(nodeId)), path), listener);
  }

  @Override
  public void remove(String nodeId, InetAddress to, Listener listener) {
    ask(to, path -> client.remove(draft.remove(nodeId), path), listener);
  }

  /** Returns the node's key if the module has sealed properties, else null. */
  private PublicKey key(String nodeId) throws IOException {
    PublicKey key = keys.get(nodeId);
    if (draft.seals() && key == null) {
      throw new IOException("the node's key is not known yet");
    }
    return key;
  }

  private void ask(InetAddress to, Asking asking, Listener listener) {
    CompletionStage<PathAnswer> stage;
    try {
      Duration budget = Duration.ofSeconds(settings.budget());
      InetAddress from = source(to);
      stage = asking.ask(new Destination(to, from, budget, settings.tls()));
    } catch (NcmException | IOException | BadValueException | IllegalArgumentException e) {
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
    if (answer != null && draft.seals()) {
      answer.nodes().stream()
          .filter(node -> node.signer() == Signer.VERIFIED && node.key() != null)
          .forEach(node -> keys.put(node.nodeId(), node.key()));
    }
    String reason = failure == null ? "" : String.valueOf(failure.getMessage());
    try {
      loop.execute(() -> listener.answered(answer, reason));
    } catch (RejectedExecutionException e) {
      // The process has ended; nobody waits for the answer.
      return;
    }
  }
}
