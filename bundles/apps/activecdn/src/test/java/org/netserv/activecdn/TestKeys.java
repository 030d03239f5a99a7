// SPDX-License-Identifier: Apache-2.0
package org.netserv.activecdn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.netserv.activecdn.net.ScriptedOrigin;

/** Keys of the JDK's keytool, and clients that trust them. */
final class TestKeys {
  static final String PASSWORD = "password";

  private TestKeys() {}

  /** Adds a key to a file. Its certificate has names as {@code dns:a,ip:192.0.2.1}. */
  static void add(Path file, String alias, String algorithm, String names)
      throws IOException, InterruptedException {
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    List<String> command = new ArrayList<>(List.of(keytool, "-J-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-genkeypair", "-alias", alias));
    command.addAll(List.of("-keyalg", algorithm, "-dname", "CN=" + alias, "-ext", "san=" + names));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", file.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
  }

  /** Returns the file in base64. */
  private static String text(Path file) throws IOException {
    return Base64.getEncoder().encodeToString(Files.readAllBytes(file));
  }

  /** Starts a module with these keys at any ports, for an origin. */
  static ActiveCdn module(ScriptedOrigin origin, Path file) throws IOException {
    return new ActiveCdn(
        Map.of(
            "origin",
            origin.text(),
            "port",
            "0",
            "tls-port",
            "0",
            "tls-keys",
            text(file),
            "tls-password",
            PASSWORD));
  }

  /** Returns a context of clients that trust every server. */
  static SSLContext trusting() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new Trusting()}, null);
    return context;
  }

  private static final class Trusting extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
