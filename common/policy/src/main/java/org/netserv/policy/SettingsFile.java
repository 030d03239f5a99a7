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
import org.netserv.values.BadValueException;

/**
 * A kind of settings file. The file is YAML, is checked against its schema, gets the schema's
 * defaults, and is then read into its record.
 *
 * @param <T> the record; its components have the keys' names in camel case
 */
public final class SettingsFile<T> {
  private static final int MAX_BYTES = 1 << 20;
  private static final ObjectMapper YAML =
      YAMLMapper.builder(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final JsonNode schema;
  private final JsonSchema validator;
  private final Class<T> type;

  /**
   * Reads the schema.
   *
   * @param owner the class beside the resource
   * @param resource a JSON schema (2020-12)
   */
  public SettingsFile(Class<?> owner, String resource, Class<T> type) {
    this.type = type;
    try (InputStream in = owner.getResourceAsStream(resource)) {
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
  public static byte[] bytes(Path file) throws PolicyException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new PolicyException(file, "longer than " + MAX_BYTES + " bytes");
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new PolicyException(file, "cannot be read: " + e.getMessage());
    }
  }

  /** A condition that a schema cannot express. */
  @FunctionalInterface
  public interface Check {
    /** Refuses values that do not fit together. The tree has the schema's defaults. */
    void check(Path file, Lines lines, JsonNode tree) throws PolicyException;
  }

  /** Line numbers of the values, by JSON path. */
  @FunctionalInterface
  public interface Lines {
    /** Returns the line, from 1; 0 = not known. */
    int of(String path);
  }

  /**
   * Reads the content of a file.
   *
   * @param file for messages
   * @param name the name for a record that has one
   * @throws PolicyException naming file, line, key and reason
   */
  public T read(Path file, byte[] content, String name, Check check) throws PolicyException {
    JsonNode tree = tree(file, content);
    YamlLines lines = new YamlLines(YAML, content);
    for (ValidationMessage message :
        validator.validate(tree).stream()
            .sorted(Comparator.comparing(SettingsFile::order))
            .toList()) {
      String path = SchemaMessage.path(message);
      throw new PolicyException(file, lines.of(path), path, SchemaMessage.text(message));
    }
    fillIn(schema, schema, (ObjectNode) tree);
    check.check(file, lines::of, tree);
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
    fillIn(schema, rules, tree);
    try {
      return records("").treeToValue(tree, sectionType);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("the schema's defaults are right", e);
    }
  }

  /** Fills in the defaults. The schema states them, and nothing else does. */
  private static void fillIn(JsonNode root, JsonNode rules, ObjectNode object) {
    for (Map.Entry<String, JsonNode> property : rules.path("properties").properties()) {
      JsonNode rule = definition(root, property.getValue());
      JsonNode standard = rule.get("default");
      if (!object.has(property.getKey()) && standard != null) {
        object.set(property.getKey(), standard.deepCopy());
      }
      if (object.get(property.getKey()) instanceof ObjectNode inner) {
        fillIn(root, rule, inner);
      }
    }
  }

  /** Returns the rule itself, or the definition of the same schema that it refers to. */
  private static JsonNode definition(JsonNode root, JsonNode rule) {
    JsonNode reference = rule.get("$ref");
    return reference == null ? rule : root.at(reference.asText().substring(1));
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
