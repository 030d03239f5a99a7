// SPDX-License-Identifier: Apache-2.0
package org.netserv.origin.health;

import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Asks by HTTP. A cache answers {@code only-if-cached} by itself, so the publisher's web server is
 * not asked. Any answer counts.
 */
public final class HttpHealth implements HealthPort {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(PATIENCE)
          .build();

  private final Executor loop;

  /**
   * A port.
   *
   * @param loop the director's thread
   */
  public HttpHealth(Executor loop) {
    this.loop = loop;
  }

  @Override
  public void check(String url, Listener listener) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(PATIENCE)
            .header("Cache-Control", "only-if-cached")
            .method("HEAD", HttpRequest.BodyPublishers.noBody())
            .build();
    CompletionStage<?> asked = client.sendAsync(request, HttpResponse.BodyHandlers.discarding());
    asked.whenComplete((answer, failure) -> tell(listener, outcome(failure)));
  }

  private static Outcome outcome(Throwable failure) {
    if (failure == null) {
      return Outcome.ANSWERED;
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return Outcome.REFUSED;
      }
    }
    return Outcome.SILENT;
  }

  private void tell(Listener listener, Outcome outcome) {
    try {
      loop.execute(() -> listener.checked(outcome));
    } catch (RejectedExecutionException e) {
      // The director has ended; nobody waits for the outcome.
      return;
    }
  }
}
