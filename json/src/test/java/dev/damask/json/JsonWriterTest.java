package dev.damask.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The three forms of JSON. The golden files hold what earlier versions wrote.
final class JsonWriterTest {
  private final JsonReader reader = new JsonReader(JsonLimits.DEFAULT);

  @Test
  void canonical_text_has_the_bytes_it_always_had() throws IOException {
    assertThat(written(JsonWriter::canonical)).isEqualTo(golden("canonical-1.txt"));
  }

  @Test
  void a_line_has_the_bytes_it_always_had() throws IOException {
    assertThat(written(JsonWriter::line)).isEqualTo(golden("line-1.txt"));
  }

  @Test
  void pretty_text_has_the_bytes_it_always_had() throws IOException {
    assertThat(written(JsonWriter::pretty)).isEqualTo(golden("pretty-1.txt"));
  }

  @Test
  void the_canonical_text_of_a_tree_has_the_bytes_it_always_had() throws IOException {
    List<String> pairs =
        JsonSamples.texts().stream()
            .flatMap(text -> List.of(text, JsonWriter.canonical(reader.read(text))).stream())
            .map(JsonWriterTest::visible)
            .toList();

    assertThat(pairs).isEqualTo(golden("trees-1.txt"));
  }

  @Test
  void a_tree_is_written_like_the_values_it_holds() {
    for (String text : JsonSamples.texts()) {
      Json tree = reader.read(text);
      Object shown = tree.plain(Json.Numeral::digits);
      if (!text.matches(".*\\d.*")) {
        assertThat(JsonWriter.pretty(tree)).isEqualTo(JsonWriter.pretty(shown));
        assertThat(JsonWriter.line(tree)).isEqualTo(JsonWriter.line(shown));
      }
      assertThat(JsonWriter.canonical(reader.read(JsonWriter.pretty(tree))))
          .isEqualTo(JsonWriter.canonical(tree));
    }
  }

  @Test
  void a_long_tree_is_broken_into_lines() {
    String text = "{\"numbers\": [" + "1.50, ".repeat(20) + "2], \"b\": {}}";

    assertThat(JsonWriter.pretty(reader.read(text)))
        .startsWith("{\n  \"numbers\": [\n    1.50,\n    1.50,\n")
        .endsWith("    2\n  ],\n  \"b\": {}\n}\n");
  }

  @Test
  void an_object_of_another_type_is_written_as_a_string() {
    assertThat(JsonWriter.canonical(Map.of("at", new Position(1, 2))))
        .isEqualTo("{\"at\":\"1:2\"}");
    assertThat(JsonWriter.line(Set.of(1))).isEqualTo("[1]");
  }

  private static List<String> written(Function<@Nullable Object, String> form) {
    return JsonSamples.values().stream().map(form).map(JsonWriterTest::visible).toList();
  }

  /// A line of ASCII: everything else, and the tilde, is written as a tilde and four digits.
  private static String visible(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      out.append(c < ' ' || c >= '~' ? "~%04x".formatted((int) c) : String.valueOf(c));
    }
    return out.toString();
  }

  private static List<String> golden(String name) throws IOException {
    try (InputStream in = JsonWriterTest.class.getResourceAsStream("/golden/" + name)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII)
          .lines()
          .toList();
    }
  }
}
