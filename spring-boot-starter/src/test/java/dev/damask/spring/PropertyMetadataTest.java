package dev.damask.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.spring.inspector.InspectorProperties;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

/// What editors show about the properties is what the records bind.
final class PropertyMetadataTest {
  private static final String FILE = "/META-INF/spring-configuration-metadata.json";

  private static Map<?, ?> metadata() throws IOException {
    try (InputStream in = DamaskProperties.class.getResourceAsStream(FILE)) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      return JsonParserFactory.getJsonParser().parseMap(text);
    }
  }

  /// Type and default value of each property of a record, by name.
  private static Map<String, String> bound(String prefix, Class<?> type) {
    Map<String, String> all = new TreeMap<>();
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      RecordComponent each = components[i];
      String name =
          prefix + "." + each.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      if (each.getType().isRecord()) {
        all.putAll(bound(name, each.getType()));
        continue;
      }
      String shown =
          each.getType().isPrimitive()
              ? ClassUtils.resolvePrimitiveIfNecessary(each.getType()).getName()
              : each.getGenericType().getTypeName();
      all.put(name, shown + " " + missing(type, i));
    }
    return all;
  }

  private static String missing(Class<?> type, int index) {
    DefaultValue value =
        type.getDeclaredConstructors()[0].getParameters()[index].getAnnotation(DefaultValue.class);
    return value == null ? "" : String.join(",", value.value());
  }

  @Test
  void the_metadata_names_every_property_with_its_type_and_default() throws IOException {
    Map<String, String> described = new TreeMap<>();
    for (Object each : properties()) {
      Map<?, ?> row = (Map<?, ?>) each;
      assertThat(String.valueOf(row.get("description"))).endsWith(".");
      Object value = row.get("defaultValue");
      described.put(
          String.valueOf(row.get("name")), row.get("type") + " " + (value == null ? "" : value));
    }
    Map<String, String> bound = bound("damask", DamaskProperties.class);
    bound.putAll(bound("damask.inspector", InspectorProperties.class));

    assertThat(described).isEqualTo(bound);
  }

  @Test
  void the_page_about_spring_boot_names_every_property() throws IOException {
    String page = Files.readString(Path.of("../docs/howto/spring-boot.md"));
    for (Object each : properties()) {
      assertThat(page).contains("`" + ((Map<?, ?>) each).get("name") + "`");
    }
  }

  private static Iterable<?> properties() throws IOException {
    return Objects.requireNonNull((Iterable<?>) metadata().get("properties"));
  }
}
