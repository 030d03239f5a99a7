// SPDX-License-Identifier: Apache-2.0
package org.netserv.artifact.fetch;

import static org.netserv.artifact.fetch.FetchException.Reason.ADDRESS;
import static org.netserv.artifact.fetch.FetchException.Reason.CONNECT;
import static org.netserv.artifact.fetch.FetchException.Reason.DOWNGRADE;
import static org.netserv.artifact.fetch.FetchException.Reason.REDIRECTS;
import static org.netserv.artifact.fetch.FetchException.Reason.STATUS;
import static org.netserv.artifact.fetch.FetchException.Reason.TIMEOUT;
import static org.netserv.artifact.fetch.FetchException.Reason.UNKNOWN_HOST;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.TrustManagerFactory;
import org.netserv.values.Addresses;

/**
 * Fetches URLs that strangers name, without giving them a way into places that they cannot reach
 * themselves. The fetcher resolves a name once and connects to an address that it has checked.
 * Every redirect is a new request with the same checks. The answer is bounded in length and in
 * time, and no error repeats any of it. Blocking. One request at a time.
 */
public final class GuardedFetcher implements Closeable {
  /** Redirects followed. */
  public static final int MAX_REDIRECTS = 5;

  /** Times that a GET is sent to servers that fall silent. */
  static final int MAX_ATTEMPTS = 3;

  private static final int MAX_ADDRESSES = 4;

  private final FetchRules rules;
  private final Resolver resolver;
  private final AddressGuard guard;
  private final HttpConnector connector;

  /**
   * Creates a fetcher with the platform's resolver and authorities for TLS, and this host's
   * addresses as the node's own.
   */
  public GuardedFetcher(FetchRules rules) {
    this(rules, Resolver.SYSTEM, ownAddresses(), null);
  }

  /**
   * @param own the node's own addresses
   * @param authorities for TLS; null = the platform's
   */
  public GuardedFetcher(
      FetchRules rules, Resolver resolver, Set<InetAddress> own, TrustManagerFactory authorities) {
    this.rules = rules;
    this.resolver = resolver;
    this.guard = new AddressGuard(rules.allow(), rules.deny(), own);
    this.connector = new HttpConnector(rules, authorities);
  }

  /**
   * Loads the classes of an exchange by HTTP and the authorities for TLS, without a connection.
   *
   * @return the authorities; the JDK keeps them only while somebody uses them
   */
  public static Object warmUp() throws IOException {
    Resolver.SYSTEM.resolve("localhost");
    return HttpConnector.warmUp();
  }

  /** Returns the body of the answer to a GET. */
  public byte[] get(String url) throws FetchException {
    Deadline deadline = new Deadline(rules.totalMillis());
    URI uri = Target.parse(url);
    for (int redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      Answer answer = request(uri, Optional.empty(), deadline);
      if (!answer.redirect()) {
        return body(answer);
      }
      uri = next(uri, answer);
    }
    throw new FetchException(REDIRECTS, "more than " + MAX_REDIRECTS + " redirects");
  }

  /** Returns the body of the answer to a POST of XML. Redirects are not followed. */
  public byte[] post(String url, byte[] xml) throws FetchException {
    return body(request(Target.parse(url), Optional.of(xml), new Deadline(rules.totalMillis())));
  }

  /** Closes the connections. A request under way fails. */
  @Override
  public void close() {
    connector.close();
  }

  /** Every address of every interface. */
  public static Set<InetAddress> ownAddresses() {
    Set<InetAddress> own = new HashSet<>();
    try {
      NetworkInterface.networkInterfaces().forEach(i -> i.inetAddresses().forEach(own::add));
    } catch (SocketException e) {
      throw new IllegalStateException("this host does not tell its addresses", e);
    }
    return own;
  }

  private static byte[] body(Answer answer) throws FetchException {
    if (answer.status() != 200) {
      throw new FetchException(STATUS, "the server answered with status " + answer.status());
    }
    return answer.body();
  }

  private static URI next(URI from, Answer answer) throws FetchException {
    String location =
        answer
            .location()
            .orElseThrow(() -> new FetchException(REDIRECTS, "a redirect that leads nowhere"));
    URI to;
    try {
      to = from.resolve(Target.parse(location));
    } catch (FetchException e) {
      throw new FetchException(REDIRECTS, "a redirect that leads nowhere", e);
    }
    if ("https".equalsIgnoreCase(from.getScheme()) && !"https".equalsIgnoreCase(to.getScheme())) {
      throw new FetchException(DOWNGRADE, "a redirect away from https");
    }
    return to;
  }

  /**
   * Asks each address in turn until one answers. Any answer ends the search. If an address fell
   * silent, the fetcher asks all of them again, because on a lossy path a new connection does
   * better than the old one's next retransmission. A POST is not repeated, because the server may
   * have acted on it.
   */
  private Answer request(URI uri, Optional<byte[]> post, Deadline deadline) throws FetchException {
    Target target = Target.of(uri, rules.ports());
    List<InetAddress> addresses = addresses(target.host(), deadline);
    for (int attempt = 1; ; attempt++) {
      boolean silent = false;
      FetchException last = null;
      for (InetAddress address : addresses) {
        try {
          return connector.exchange(
              target, new InetSocketAddress(address, target.port()), post, deadline);
        } catch (FetchException e) {
          boolean timeout = e.reason() == TIMEOUT && post.isEmpty();
          if (deadline.passed() || !(timeout || e.reason() == CONNECT)) {
            throw e;
          }
          silent |= timeout;
          last = e;
        }
      }
      if (!silent || attempt == MAX_ATTEMPTS) {
        throw last;
      }
    }
  }

  /** Returns the permitted addresses of the host, at least one. */
  private List<InetAddress> addresses(String host, Deadline deadline) throws FetchException {
    List<InetAddress> permitted = new ArrayList<>();
    String refusal = "";
    for (InetAddress address : resolve(host, deadline)) {
      Optional<String> reason = guard.refusal(address);
      if (reason.isEmpty() && permitted.size() < MAX_ADDRESSES) {
        permitted.add(Addresses.of(address.getAddress()));
      }
      refusal = reason.map(why -> Addresses.print(address) + " is " + why).orElse(refusal);
    }
    if (permitted.isEmpty()) {
      throw refusal.isEmpty()
          ? new FetchException(UNKNOWN_HOST, "the host has no address")
          : new FetchException(ADDRESS, "not fetched from there: " + refusal);
    }
    return permitted;
  }

  /** Resolves a name on a thread of its own, because the platform's resolver keeps no deadline. */
  private List<InetAddress> resolve(String host, Deadline deadline) throws FetchException {
    CompletableFuture<List<InetAddress>> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(resolver.resolve(host));
              } catch (UnknownHostException | RuntimeException e) {
                result.completeExceptionally(e);
              }
            },
            "resolver");
    thread.setDaemon(true);
    thread.start();
    try {
      return deadline.await(result);
    } catch (TimeoutException e) {
      throw new FetchException(TIMEOUT, "the host's name was not resolved in time", e);
    } catch (ExecutionException e) {
      throw new FetchException(UNKNOWN_HOST, "the host has no address", e);
    }
  }
}
