// SPDX-License-Identifier: Apache-2.0
package org.netserv.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.InjectableValues;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.netserv.values.BadValueException;
import org.netserv.values.Prefix;

/**
 * A kind of policy file. The file is YAML, is checked against its schema, gets the schema's
 * defaults, and is then read into its record.
 *
 * @param <T> the record
 */
final class PolicyFile<T> {
  static final PolicyFile<NodeConfig> NODE = new PolicyFile<>("node.schema.json", NodeConfig.class);
  static final PolicyFile<PublisherPolicy> PUBLISHER =
      new PolicyFile<>("publisher.schema.json", PublisherPolicy.class);

  private static final int MAX_BYTES = 1 << 20;
  private static final ObjectMapper YAML =
      YAMLMapper.builder(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final JsonNode schema;
  private final JsonSchema validator;
  private final Class<T> type;

  private PolicyFile(String resource, Class<T> type) {
    this.type = type;
    try (InputStream in = PolicyFile.class.getResourceAsStream(resource)) {
      this.schema = new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException("the schema " + resource + " is part of this archive", e);
    }
    SchemaValidatorsConfig config =
        SchemaValidatorsConfig.builder().pathType(PathType.JSON_PATH).locale(Locale.ROOT).build();
    this.validator =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(schema, config);
  }

  /** Returns the whole file. A file above the limit is refused before it is read. */
  static byte[] bytes(Path file) throws PolicyException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new PolicyException(file, "longer than " + MAX_BYTES + " bytes");
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new PolicyException(file, "cannot be read: " + e.getMessage());
    }
  }

  /** Returns the whole file of {@code etc}, if {@link TrustedFile} accepts it. */
  static byte[] trusted(Path file) throws PolicyException {
    TrustedFile.require(file);
    return bytes(file);
  }

  /**
   * Reads the content of a file.
   *
   * @param file for messages
   * @param name the name for a record that has one
   */
  T read(Path file, byte[] content, String name) throws PolicyException {
    JsonNode tree = tree(file, content);
    YamlLines lines = new YamlLines(YAML, content);
    for (ValidationMessage message :
        validator.validate(tree).stream()
            .sorted(Comparator.comparing(PolicyFile::order))
            .toList()) {
      String path = SchemaMessage.path(message);
      throw new PolicyException(file, lines.of(path), path, SchemaMessage.text(message));
    }
    fillIn(schema, (ObjectNode) tree);
    checkPorts(file, lines, tree.path("signaling"));
    checkLayers(file, lines, tree.path("isolation"));
    checkPrefix(file, lines, tree, "prefix4", 4);
    checkPrefix(file, lines, tree, "prefix6", 6);
    try {
      return records(name).treeToValue(tree, type);
    } catch (JsonMappingException e) {
      String path = path(e);
      throw new PolicyException(file, lines.of(path), path, reason(e));
    } catch (JsonProcessingException e) {
      throw new PolicyException(file, e.getOriginalMessage());
    }
  }

  /** Orders messages by path, because only the first wrong line is reported. */
  private static String order(ValidationMessage message) {
    return SchemaMessage.path(message) + " " + message.getMessage();
  }

  private static JsonNode tree(Path file, byte[] content) throws PolicyException {
    try {
      JsonNode tree = YAML.readTree(content);
      // The library reads a file of comments or of a document mark alone as missing, null or an
      // empty text.
      boolean empty = tree instanceof MissingNode || tree.isNull();
      if (empty || (tree.isTextual() && tree.asText().isEmpty())) {
        return YAML.createObjectNode();
      }
      if (!tree.isObject()) {
        throw new PolicyException(file, "not a list of keys and values");
      }
      return tree;
    } catch (JsonProcessingException e) {
      int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
      String reason = e.getOriginalMessage().lines().findFirst().orElse("unreadable");
      throw new PolicyException(file, line, "$", "not YAML: " + reason);
    } catch (IOException e) {
      throw new PolicyException(file, "not YAML: " + e.getMessage());
    }
  }

  /** Returns the section that a file gets if it leaves the section out. */
  <S> S defaults(String section, Class<S> sectionType) {
    JsonNode rules = schema.path("properties").path(section);
    ObjectNode tree = rules.path("default").deepCopy();
    fillIn(rules, tree);
    try {
      return records("").treeToValue(tree, sectionType);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("the schema's defaults are right", e);
    }
  }

  /** Fills in the defaults. The schema states them, and nothing else does. */
  private static void fillIn(JsonNode schema, ObjectNode object) {
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      JsonNode standard = property.getValue().get("default");
      if (!object.has(property.getKey()) && standard != null) {
        object.set(property.getKey(), standard.deepCopy());
      }
      if (object.get(property.getKey()) instanceof ObjectNode inner) {
        fillIn(property.getValue(), inner);
      }
    }
  }

  /** Refuses two listeners on one port, which a schema cannot express. 0 = any free port. */
  private static void checkPorts(Path file, YamlLines lines, JsonNode signaling)
      throws PolicyException {
    int port = signaling.path("port").asInt();
    if (port != 0 && port == signaling.path("tls-port").asInt()) {
      String path = "$.signaling.tls-port";
      throw new PolicyException(file, lines.of(path), path, "the same as port: " + port);
    }
  }

  /** Refuses a layer that is both required and dispensable. */
  private static void checkLayers(Path file, YamlLines lines, JsonNode isolation)
      throws PolicyException {
    for (JsonNode required : isolation.path("require")) {
      for (JsonNode accepted : isolation.path("accept-missing")) {
        if (required.equals(accepted)) {
          String path = "$.isolation.require";
          String why = required.asText() + " is in accept-missing, too";
          throw new PolicyException(file, lines.of(path), path, why);
        }
      }
    }
  }

  /** Leaves text that is no prefix to the reader of prefixes, which says so. */
  private static void checkPrefix(Path file, YamlLines lines, JsonNode tree, String key, int family)
      throws PolicyException {
    JsonNode text = tree.path("containers").path(key);
    try {
      Optional<String> wrong =
          text.isMissingNode()
              ? Optional.empty()
              : ContainerPrefixes.wrong(Prefix.parse(text.asText()), family);
      if (wrong.isPresent()) {
        String path = "$.containers." + key;
        throw new PolicyException(file, lines.of(path), path, wrong.get());
      }
    } catch (BadValueException e) {
      return;
    }
  }

  private static ObjectMapper records(String name) {
    return JsonMapper.builder()
        .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
        .injectableValues(new InjectableValues.Std().addValue("name", name))
        .addModule(PolicyValues.module())
        .build();
  }

  private static String path(JsonMappingException e) {
    StringBuilder path = new StringBuilder("$");
    for (JsonMappingException.Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append('.').append(step.getFieldName());
      }
    }
    return path.toString();
  }

  private static String reason(JsonMappingException e) {
    return e.getCause() instanceof BadValueException bad
        ? bad.getMessage()
        : e.getOriginalMessage();
  }
}
