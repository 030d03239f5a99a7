// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.bench.cache;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.netserv.lab.testbed.LabPublisher;
import org.netserv.lab.testbed.NodeClient;
import org.netserv.lab.testbed.NodeProcesses;
import org.netserv.lab.testbed.Testbed;
import org.netserv.lab.testbed.base.CpuTime;
import org.netserv.lab.testbed.base.LabException;
import org.netserv.lab.testbed.base.LabHome;

/** Caches on the node, each at ports of its own, before one web server. */
enum Cache {
  EDGE("ActiveCDN", 80, 443) {
    @Override
    void start(Testbed testbed) throws IOException {
      Path keys = testbed.state().resolve("www.p12");
      openssl(
          testbed, "pkcs12 -export -inkey www.key -in www.pem -passout pass:password -out " + keys);
      LabPublisher publisher = testbed.publisher("sip");
      LabPublisher.Bundle bundle = publisher.publish(LabHome.dist().resolve("apps/activecdn.jar"));
      InetAddress server = testbed.topology().node("server").address(false).ip();
      Map<String, String> properties =
          Map.of(
              "origin",
              ORIGIN,
              "tls-keys",
              Base64.getEncoder().encodeToString(Files.readAllBytes(keys)),
              "tls-password",
              "password");
      try (NodeClient node = testbed.client("node")) {
        NodeClient.Answer answer =
            node.ncm(publisher.setup(bundle, server, server, Map.of(), properties));
        if (!answer.running()) {
          throw new LabException("refused: " + answer);
        }
      }
    }

    @Override
    CpuTime time(Testbed testbed) throws IOException {
      return CpuTime.of(NodeProcesses.of(testbed, "node").all());
    }
  },

  /** One process, with proxy_cache_lock for cold objects. */
  NGINX("nginx", 8081, 8443) {
    @Override
    void start(Testbed testbed) throws IOException {
      Path directory = Files.createDirectories(testbed.state().resolve("nginx"));
      Path file = directory.resolve("nginx.conf");
      Files.writeString(
          file,
          """
          daemon off;
          user root;
          worker_processes 1;
          pid %1$s/nginx.pid;
          error_log %1$s/error.log;
          events { worker_connections 4096; }
          http {
            access_log off;
            sendfile on;
            tcp_nopush off;
            keepalive_requests 100000000;
            proxy_cache_path %1$s/cache keys_zone=cache:10m max_size=64m;
            proxy_temp_path %1$s/temp;
            client_body_temp_path %1$s/body;
            server {
              listen %2$s:8081;
              listen %2$s:8443 ssl;
              ssl_certificate %3$s/www.pem;
              ssl_certificate_key %3$s/www.key;
              location / {
                proxy_pass http://%4$s;
                proxy_cache cache;
                proxy_cache_lock on;
                proxy_http_version 1.1;
              }
            }
          }
          """
              .formatted(directory, ADDRESS, testbed.state(), ORIGIN));
      testbed.spawn("node", "nginx", List.of("nginx", "-e", "stderr", "-c", file.toString()));
    }

    @Override
    CpuTime time(Testbed testbed) throws IOException {
      return CpuTime.of(testbed.topology().name(), "node", "nginx");
    }
  },

  VARNISH("Varnish", 8082, 0) {
    @Override
    void start(Testbed testbed) throws IOException {
      Path directory = Files.createDirectories(testbed.state().resolve("varnish"));
      testbed.spawn(
          "node",
          "varnish",
          List.of(
              "varnishd",
              "-F",
              "-j",
              "none",
              "-a",
              ADDRESS + ":8082",
              "-b",
              ORIGIN,
              "-n",
              directory.toString(),
              "-s",
              "malloc,64m"));
    }

    @Override
    CpuTime time(Testbed testbed) throws IOException {
      return CpuTime.of(testbed.topology().name(), "node", "varnishd");
    }
  };

  /** The node's address toward the user. */
  static final String ADDRESS = "10.1.0.1";

  /** The web server. */
  static final String ORIGIN = "192.0.2.10:8080";

  final String text;
  final int port;
  final int tlsPort; // 0 = none

  Cache(String text, int port, int tlsPort) {
    this.text = text;
    this.port = port;
    this.tlsPort = tlsPort;
  }

  /** Starts the cache. It may take a moment until it answers. */
  abstract void start(Testbed testbed) throws IOException;

  /** Reads the processor time of the cache until now; of the edge, all processes of the node. */
  abstract CpuTime time(Testbed testbed) throws IOException;

  /** Makes the key and the certificate that all caches share. */
  static void makeKeys(Testbed testbed) throws IOException {
    openssl(
        testbed,
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=www.example"
            + " -keyout www.key -out www.pem");
  }

  private static void openssl(Testbed testbed, String arguments) throws IOException {
    String command = "cd " + testbed.state() + " && openssl " + arguments + " 2>&1";
    testbed.run("node", "sh", "-c", command);
  }
}
