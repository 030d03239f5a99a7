// SPDX-License-Identifier: Apache-2.0
package org.netserv.lab.testbed.tool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.netserv.ncm.Delegation;
import org.netserv.ncm.Header;
import org.netserv.ncm.Method;
import org.netserv.ncm.Ncm;
import org.netserv.ncm.NcmException;
import org.netserv.publisher.Destination;
import org.netserv.publisher.KnownNodes;
import org.netserv.publisher.NodeAnswer;
import org.netserv.publisher.PathAnswer;
import org.netserv.publisher.PublisherClient;
import org.netserv.values.BadValueException;
import org.netserv.values.PublisherKeys;

/**
 * Runs a publisher's server that uses the library: {@code PathClient [USER KEYFILE]}. Without
 * arguments it is a stranger's server, which can only probe. It reads one JSON object per line from
 * standard input and prints one answer for each, in order:
 *
 * <pre>
 *   {"op":"setup","name":..,"version":..,"headers":{"ttl":"60"},"to":..,"from":..,"budget":seconds}
 *   {"op":"remove",..}   {"op":"probe",..}
 *   {"op":"trigger","inner":"setup","backTo":..,..}
 *   {"op":"known","ids":[..]}      nodes with answers that are verified from now on
 *   {"op":"delegate","delegation":file,"key":file}     signs as a delegate from now on
 *
 *   {"end":..,"reason":..,"nodes":[{"nodeId","address","status","data","signer"}],"far":{..}}
 *   {"error":..}
 * </pre>
 */
public final class PathClient {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Set<String> known;
  private PublisherClient client;

  private PathClient(PublisherClient client, Set<String> known) {
    this.client = client;
    this.known = known;
  }

  public static void main(String[] args) throws IOException, BadValueException {
    Set<String> known = ConcurrentHashMap.newKeySet();
    KnownNodes nodes = () -> Set.copyOf(known);
    PublisherClient.Builder builder = PublisherClient.builder().known(nodes);
    if (args.length == 2) {
      builder.user(args[0], PublisherKeys.readPrivate(Path.of(args[1])));
    }
    PathClient path = new PathClient(builder.open(), known);
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(path.answer(JSON.readTree(line)));
      }
    } finally {
      path.client.close();
    }
  }

  /** Takes a client with another key and delegation in the place of the present one. */
  private void delegate(JsonNode request) throws IOException {
    try {
      Delegation delegation = Delegation.read(Path.of(request.path("delegation").asText()));
      PrivateKey key = PublisherKeys.readPrivate(Path.of(request.path("key").asText()));
      client.close();
      client =
          PublisherClient.builder()
              .known(() -> Set.copyOf(known))
              .delegate(key, () -> delegation)
              .open();
    } catch (BadValueException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private ObjectNode answer(JsonNode request) {
    ObjectNode answer = JSON.createObjectNode();
    try {
      if (request.path("op").asText().equals("known")) {
        known.clear();
        request.path("ids").forEach(id -> known.add(id.asText()));
        return answer.put("known", known.size());
      }
      if (request.path("op").asText().equals("delegate")) {
        delegate(request);
        return answer.put("delegate", true);
      }
      describe(answer, send(request).toCompletableFuture().join());
    } catch (CompletionException e) {
      answer.put("error", String.valueOf(e.getCause()));
    } catch (NcmException | IOException | IllegalArgumentException e) {
      answer.put("error", e.toString());
    }
    return answer;
  }

  private CompletionStage<PathAnswer> send(JsonNode request) throws NcmException, IOException {
    Destination path =
        Destination.of(InetAddress.getByName(request.path("to").asText()))
            .within(Duration.ofSeconds(request.path("budget").asInt()));
    if (request.has("from")) {
      path = path.from(InetAddress.getByName(request.path("from").asText()));
    }
    return switch (request.path("op").asText()) {
      case "setup" -> client.setup(message(Method.SETUP, request), path);
      case "remove" -> client.remove(message(Method.REMOVE, request), path);
      case "probe" -> client.probe(message(Method.PROBE, request), path);
      case "trigger" -> {
        String inner = request.path("inner").asText().toUpperCase(Locale.ROOT);
        InetAddress backTo =
            request.has("backTo") ? InetAddress.getByName(request.path("backTo").asText()) : null;
        yield client.trigger(message(Method.valueOf(inner), request), backTo, path);
      }
      default -> throw new IllegalArgumentException("op: " + request.path("op"));
    };
  }

  private static Ncm message(Method method, JsonNode request) throws NcmException {
    Ncm.Builder message = Ncm.builder(method, request.path("name").asText());
    if (request.has("version")) {
      message.version(request.path("version").asText());
    }
    for (Map.Entry<String, JsonNode> header : request.path("headers").properties()) {
      String name = header.getKey().toUpperCase(Locale.ROOT).replace('-', '_');
      message.set(Header.valueOf(name), header.getValue().asText());
    }
    return message.build();
  }

  private static void describe(ObjectNode to, PathAnswer answer) {
    to.put("end", answer.end().name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .put("reason", answer.reason());
    ArrayNode nodes = to.putArray("nodes");
    for (NodeAnswer node : answer.nodes()) {
      nodes
          .addObject()
          .put("nodeId", node.nodeId())
          .put("address", node.address().getHostAddress())
          .put("status", node.status())
          .put("data", node.data())
          .put("signer", node.signer().name());
    }
    if (answer.far() != null) {
      describe(to.putObject("far"), answer.far());
    }
  }
}
