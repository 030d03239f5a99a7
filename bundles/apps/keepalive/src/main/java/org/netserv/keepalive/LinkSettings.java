// SPDX-License-Identifier: Apache-2.0
package org.netserv.keepalive;

import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import org.netserv.module.ModuleProperties;

/**
 * The properties about the module's own talk with the server, checked.
 *
 * @param watch whether the module asks the server if it is alive
 * @param grants what the node says about the policy
 * @param interval milliseconds between two requests
 * @param reportTo address that reports go to, null = none
 * @param reportKey the secret of the reports, null = none
 * @param reportInterval seconds between two reports of the same agent
 * @param reportSilent seconds without a keep-alive after which an agent is silent
 * @param maxAgents agents that are remembered for reports
 */
record LinkSettings(
    Watch watch,
    Grants grants,
    long interval,
    InetSocketAddress reportTo,
    SecretKeySpec reportKey,
    int reportInterval,
    int reportSilent,
    int maxAgents) {
  /** Values of the property {@code watch}. */
  enum Watch {
    /** Asks a server that the node says the policy lets it reach. */
    AUTO,
    ON,
    OFF
  }

  static final String WATCH = "watch";
  static final String WATCH_INTERVAL = "watch-interval";
  static final String REPORT_TO = "report-to";
  static final String REPORT_KEY = "report-key";
  static final String REPORT_INTERVAL = "report-interval";
  static final String REPORT_SILENT = "report-silent";

  private static final int KEY_LEAST = 16;
  private static final int KEY_MOST = 64;

  /**
   * @throws IllegalArgumentException naming the property that is wrong
   */
  static LinkSettings of(Map<String, ?> properties) {
    ModuleProperties settings = new ModuleProperties(properties);
    InetSocketAddress to = settings.address(REPORT_TO);
    int interval = settings.number(REPORT_INTERVAL, 10, 1, 3600);
    int silent = settings.number(REPORT_SILENT, 60, 1, 86_400);
    if (silent <= interval) {
      throw new IllegalArgumentException(
          REPORT_SILENT + ": " + silent + " is not above report-interval, " + interval);
    }
    return new LinkSettings(
        watch(settings.text(WATCH, "auto")),
        new Grants(settings.list(Grants.CONNECT, "")),
        1000L * settings.number(WATCH_INTERVAL, 5, 1, 3600),
        to,
        to == null ? null : key(settings.text(REPORT_KEY, "")),
        interval,
        silent,
        ResponderSettings.of(properties).maxAgents());
  }

  /** Tells whether the module needs a socket. */
  boolean isWanted() {
    boolean watches =
        switch (watch) {
          case AUTO -> !grants.isEmpty();
          case ON -> true;
          case OFF -> false;
        };
    return watches || reports();
  }

  /** Tells whether this server is to be asked. */
  boolean watches(Server server) {
    return switch (watch) {
      case AUTO -> grants.cover(server);
      case ON -> true;
      case OFF -> false;
    };
  }

  boolean reports() {
    return reportTo != null;
  }

  private static Watch watch(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "auto" -> Watch.AUTO;
      case "on", "true" -> Watch.ON;
      case "off", "false" -> Watch.OFF;
      default -> throw new IllegalArgumentException(WATCH + ": not auto, on or off: " + text);
    };
  }

  private static SecretKeySpec key(String text) {
    byte[] key = text.matches("([0-9a-fA-F]{2})*") ? HexFormat.of().parseHex(text) : new byte[0];
    if (key.length < KEY_LEAST || key.length > KEY_MOST) {
      throw new IllegalArgumentException(REPORT_KEY + ": not 32 to 128 hexadecimal digits");
    }
    return new SecretKeySpec(key, "HmacSHA256");
  }
}
