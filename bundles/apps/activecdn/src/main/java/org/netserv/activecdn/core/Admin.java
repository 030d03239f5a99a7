// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.netserv.http.Field;
import org.netserv.http.FieldSection;
import org.netserv.http.HttpMethod;
import org.netserv.http.RequestHead;

/**
 * Carries out the publisher's orders to the cache.
 *
 * <pre>
 *   POST PATH/purge       Purge-Url: ...  Purge-Prefix: ...  Surrogate-Key: ...
 *   GET  PATH/counters
 *   GET  PATH/log?from=N  lines of the access log, from number N on
 * </pre>
 */
final class Admin {
  private static final String BEARER = "Bearer ";
  private static final Pattern LOG = Pattern.compile("log(\\?from=([0-9]{1,18}))?");
  private static final byte[] URL = ascii("purge-url");
  private static final byte[] PREFIX = ascii("purge-prefix");
  private static final byte[] SURROGATE = ascii("surrogate-key");

  private final Edge edge;
  private final byte[] secret;
  private final String path;

  Admin(Edge edge) {
    this.edge = edge;
    secret = ascii(edge.settings.orders().secret());
    path = edge.settings.orders().path();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Tells whether a request is an order. Without a secret none is. */
  boolean isOrder(RequestHead request) {
    return secret.length > 0 && path(request).startsWith(path + "/");
  }

  private static String path(RequestHead request) {
    return new String(
        request.bytes(),
        request.pathStart(),
        request.pathEnd() - request.pathStart(),
        StandardCharsets.ISO_8859_1);
  }

  /** Carries out an order, and answers it. */
  void serve(Exchange exchange, RequestHead request) {
    if (!isAllowed(request.fields())) {
      exchange.refuse(Refusal.FORBIDDEN);
      return;
    }
    String order = path(request).substring(path.length() + 1);
    Matcher log = LOG.matcher(order);
    if (log.matches() && edge.log.isOn() && request.method() == HttpMethod.GET) {
      long from = log.group(2) == null ? 0 : Long.parseLong(log.group(2));
      exchange.answer(200, "text/plain", edge.log.from(from));
    } else if (order.equals("counters") && request.method() == HttpMethod.GET) {
      exchange.answer(200, "application/json", edge.counters());
    } else if (order.equals("purge") && request.method() == HttpMethod.POST) {
      purge(exchange, request.fields());
    } else {
      exchange.refuse(Refusal.ORDER);
    }
  }

  private boolean isAllowed(FieldSection fields) {
    String given = fields.lines(Field.AUTHORIZATION) == 1 ? fields.text(Field.AUTHORIZATION) : "";
    boolean bearer = given.regionMatches(true, 0, BEARER, 0, BEARER.length());
    return bearer && MessageDigest.isEqual(secret, ascii(given.substring(BEARER.length()).strip()));
  }

  private void purge(Exchange exchange, FieldSection fields) {
    Purge purge = new Purge();
    for (int line = 0; line < fields.count(); line++) {
      boolean url = is(fields, line, URL);
      if ((url || is(fields, line, PREFIX)) && !fields.text(line).contains("://")) {
        exchange.refuse(Refusal.ORDER);
        return;
      }
      if (url) {
        purge.addUrl(fields.text(line));
      } else if (is(fields, line, PREFIX)) {
        purge.addPrefix(fields.text(line));
      } else if (is(fields, line, SURROGATE)) {
        for (String key : fields.text(line).split("[ \\t]+", -1)) {
          if (!key.isEmpty()) {
            purge.surrogates().add(key);
          }
        }
      }
    }
    if (purge.isEmpty()) {
      exchange.refuse(Refusal.ORDER);
    } else {
      String answer = "{\"purged\":" + edge.purge(purge) + "}\n";
      edge.store.flush(() -> exchange.answer(200, "application/json", answer));
    }
  }

  private static boolean is(FieldSection fields, int line, byte[] name) {
    return fields.next(name, 0, name.length, line) == line;
  }
}
