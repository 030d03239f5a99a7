// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One PEM certificate and nothing else that a PEM reader would see. */
final class AnchorFile {
  static final String NAME = "[a-z0-9][a-z0-9-]{0,31}";
  private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
  private static final int LINE = 64;

  private AnchorFile() {}

  static Anchor read(Path file, String name) throws PolicyException {
    return parse(file, name, new String(PolicyFile.trusted(file), StandardCharsets.US_ASCII));
  }

  static Anchor parse(Path file, String name, String text) throws PolicyException {
    if (!name.matches(NAME)) {
      throw new PolicyException(file, "the file's name is not an anchor's name (" + NAME + ")");
    }
    Matcher block = BLOCK.matcher(text);
    if (!block.find() || !block.group(1).equals("CERTIFICATE")) {
      throw new PolicyException(file, "not a PEM certificate");
    }
    String base64 = block.group(2);
    if (block.find()) {
      throw new PolicyException(file, "more than one PEM block; an anchor is one certificate");
    }
    try {
      byte[] der = Base64.getMimeDecoder().decode(base64);
      X509Certificate certificate =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(der));
      return new Anchor(name, print(certificate), certificate);
    } catch (CertificateException | IllegalArgumentException e) {
      throw new PolicyException(file, "not a certificate: " + e.getMessage());
    }
  }

  private static String print(X509Certificate certificate) throws CertificateException {
    byte[] newline = {'\n'};
    String base64 = Base64.getMimeEncoder(LINE, newline).encodeToString(certificate.getEncoded());
    return BEGIN + "\n" + base64 + "\n" + BEGIN.replace("BEGIN", "END") + "\n";
  }
}
