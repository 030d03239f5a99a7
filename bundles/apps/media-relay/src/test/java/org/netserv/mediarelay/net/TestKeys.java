// SPDX-License-Identifier: Apache-2.0
package org.netserv.mediarelay.net;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Keys of the JDK's keytool, and clients that trust them. */
final class TestKeys {
  static final String PASSWORD = "password";

  private TestKeys() {}

  /** Returns a key with a certificate, as PKCS #12 in base64. */
  static String make(Path directory, String algorithm) throws IOException, InterruptedException {
    Path file = directory.resolve(algorithm + ".p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    List<String> command = new ArrayList<>(List.of(keytool, "-J-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-genkeypair", "-keyalg", algorithm));
    command.addAll(List.of("-dname", "CN=relay", "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD, "-keystore", file.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(said);
    }
    return Base64.getEncoder().encodeToString(Files.readAllBytes(file));
  }

  /** Returns an engine of a client that trusts everybody. */
  static SSLEngine client(String protocol, int packet, String... alpn)
      throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance(protocol);
    context.init(null, new TrustManager[] {new Trusting()}, null);
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setApplicationProtocols(alpn);
    if (packet > 0) {
      parameters.setMaximumPacketSize(packet);
    }
    engine.setSSLParameters(parameters);
    return engine;
  }

  /** A client's side of TLS or DTLS, in memory. */
  static final class Side {
    final SSLEngine engine;
    final List<byte[]> toSend = new ArrayList<>(); // records, or datagrams
    final ByteBuffer plain = ByteBuffer.allocate(100_000); // what came
    private byte[] rest = {};

    Side(SSLEngine engine) throws SSLException {
      this.engine = engine;
      engine.beginHandshake();
      go(ByteBuffer.allocate(0));
    }

    void take(byte[] bytes) throws SSLException {
      byte[] all = Messages.joined(rest, bytes);
      ByteBuffer cipher = ByteBuffer.wrap(all);
      go(cipher);
      rest = Arrays.copyOfRange(all, cipher.position(), all.length);
    }

    private void go(ByteBuffer cipher) throws SSLException {
      for (int steps = 0; steps < 1000; steps++) {
        switch (engine.getHandshakeStatus()) {
          case NEED_TASK -> engine.getDelegatedTask().run();
          case NEED_WRAP -> {
            if (!wrap(ByteBuffer.allocate(0))) {
              return;
            }
          }
          case NEED_UNWRAP_AGAIN -> engine.unwrap(ByteBuffer.allocate(0), plain);
          default -> {
            if (!cipher.hasRemaining() || engine.unwrap(cipher, plain).bytesConsumed() == 0) {
              return;
            }
          }
        }
      }
    }

    private boolean wrap(ByteBuffer from) throws SSLException {
      ByteBuffer cipher = ByteBuffer.allocate(40_000);
      engine.wrap(from, cipher);
      if (cipher.position() > 0) {
        toSend.add(Arrays.copyOf(cipher.array(), cipher.position()));
      }
      return cipher.position() > 0;
    }

    void send(byte[] bytes) throws SSLException {
      wrap(ByteBuffer.wrap(bytes));
    }

    /** Sends the last flight of a handshake again. */
    void again() throws SSLException {
      if (wrap(ByteBuffer.allocate(0))) {
        go(ByteBuffer.allocate(0));
      }
    }

    boolean isOpen() {
      SSLSession session = engine.getSession();
      return session.isValid()
          && !session.getProtocol().equals("NONE")
          && engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    /** Returns the algorithm of the key in the peer's certificate. */
    String keyOfPeer() throws SSLException {
      return engine.getSession().getPeerCertificates()[0].getPublicKey().getAlgorithm();
    }

    byte[] came() {
      return Arrays.copyOf(plain.array(), plain.position());
    }
  }

  private static final class Trusting extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
