// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn.net;

import java.net.Socket;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Chooses a key by the name that the client asks for (SNI, RFC 6066, section 3): the certificate
 * that names it, then one with a wildcard for its first label, else the first one of the file. Keys
 * of several types may have the same names: the client's types decide among them. Immutable, safe
 * for use by many threads.
 */
final class SniKeys extends X509ExtendedKeyManager {
  private static final int DNS_NAME = 2; // of a subjectAltName

  private final X509ExtendedKeyManager keys;
  private final Map<String, List<String>> named = new HashMap<>(); // aliases by name
  private final List<String> first; // aliases with the file's first name

  /**
   * Reads the names of the certificates.
   *
   * @param keys of the same file
   */
  SniKeys(KeyStore file, X509ExtendedKeyManager keys) throws KeyStoreException {
    this.keys = keys;
    List<String> same = null;
    for (String alias : Collections.list(file.aliases())) {
      if (file.isKeyEntry(alias)) {
        List<String> names = names(file.getCertificate(alias));
        for (String name : names) {
          named.computeIfAbsent(name, any -> new ArrayList<>(1)).add(alias);
        }
        if (same == null) {
          same = names.isEmpty() ? List.of(alias) : named.get(names.get(0));
        }
      }
    }
    first = same;
  }

  private static List<String> names(Certificate certificate) throws KeyStoreException {
    List<String> names = new ArrayList<>();
    try {
      var all = ((X509Certificate) certificate).getSubjectAlternativeNames();
      for (List<?> each : all == null ? List.<List<?>>of() : all) {
        if (each.get(0).equals(DNS_NAME)) {
          names.add(each.get(1).toString().toLowerCase(Locale.ROOT));
        }
      }
    } catch (CertificateParsingException e) {
      throw new KeyStoreException("a certificate's names: " + e.getMessage(), e);
    }
    return names;
  }

  @Override
  public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
    String[] suitable = keys.getServerAliases(type, issuers);
    return suitable == null ? null : choose(List.of(suitable), requested(engine));
  }

  /**
   * Chooses among keys of one type. The caller asks for each type that the client has.
   *
   * @param name in lower case, empty = the client has named none
   * @return null if the name's keys are of other types
   */
  String choose(List<String> suitable, String name) {
    String wildcard = "*" + name.substring(Math.max(0, name.indexOf('.')));
    List<String> wanted = named.getOrDefault(name, named.getOrDefault(wildcard, first));
    return wanted.stream().filter(suitable::contains).findFirst().orElse(null);
  }

  private static String requested(SSLEngine engine) {
    if (engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
      for (SNIServerName name : session.getRequestedServerNames()) {
        if (name instanceof SNIHostName host) {
          return host.getAsciiName().toLowerCase(Locale.ROOT);
        }
      }
    }
    return "";
  }

  @Override
  public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
    return keys.chooseServerAlias(type, issuers, socket);
  }

  @Override
  public String[] getServerAliases(String type, Principal[] issuers) {
    return keys.getServerAliases(type, issuers);
  }

  @Override
  public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
    return null; // a server's keys
  }

  @Override
  public String[] getClientAliases(String type, Principal[] issuers) {
    return null;
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return keys.getCertificateChain(alias);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return keys.getPrivateKey(alias);
  }
}
