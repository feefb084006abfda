package dev.damask.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The reader keeps positions and digits, and rejects what is ambiguous or too large.
final class JsonReaderTest {
  private static final JsonLimits SMALL = new JsonLimits(1_000, 3, 10, 5, 8, 20, 12);

  private final JsonReader reader = new JsonReader(JsonLimits.DEFAULT);

  @Test
  void values_and_keys_have_positions() {
    Json.Fields root = (Json.Fields) reader.read("{\"a\": 1,\n  \"b\": [true, {\"c\": null}]}");

    assertThat(root.at()).isEqualTo(Position.START);
    assertThat(root.keyAt("b")).isEqualTo(new Position(2, 3));
    assertThat(root.get("b"))
        .isInstanceOfSatisfying(
            Json.Items.class,
            list -> {
              assertThat(list.at()).isEqualTo(new Position(2, 8));
              assertThat(list.items().get(1).at()).isEqualTo(new Position(2, 15));
            });
  }

  @Test
  void numbers_keep_their_digits() {
    assertThat(numeral("1.50").digits()).isEqualTo("1.50");
    assertThat(numeral("1E5").number()).isEqualTo(100_000.0);
    assertThat(numeral("7").number()).isEqualTo(7L);
    assertThat(numeral("7").whole()).hasValue(7);
    assertThat(numeral("7.0").whole()).isEmpty();
    assertThat(numeral("12345678901234567890").number())
        .isEqualTo(new BigDecimal("12345678901234567890"));
    assertThat(numeral("12345678901234567890").whole()).isEmpty();
  }

  @Test
  void a_tree_gives_plain_values_in_order() {
    Json tree = reader.read("{\"z\": [1, 2.5, \"x\"], \"a\": {\"f\": false, \"n\": null}}");

    assertThat(tree.plain()).asString().isEqualTo("{z=[1, 2.5, x], a={f=false, n=null}}");
    assertThat(tree.plain(Json.Numeral::digits))
        .isEqualTo(
            JsonWriter.object(
                "z", List.of("1", "2.5", "x"), "a", JsonWriter.object("f", false, "n", null)));
  }

  @Test
  void what_two_readers_could_understand_differently_is_rejected() {
    assertThat(problem(reader, "{\"a\": 1,\n \"a\": 2}"))
        .isEqualTo("2:2 duplicate key 'a', first at line 1");
    assertThat(problem(reader, "1 2")).isEqualTo("1:3 unexpected text after the end");
    assertThat(problem(reader, "")).isEqualTo("1:1 the document is empty");
    assertThat(problem(reader, "[\"\\ud800\"]"))
        .isEqualTo("1:2 [0] a string contains an unpaired surrogate, \\ud800");
    assertThat(problem(reader, "{\"\\udc00\": 1}"))
        .startsWith("1:9 not valid JSON: Unexpected low surrogate");
    assertThat(problem(reader, "{\"a\": [1, }"))
        .startsWith("1:11 a[1] not valid JSON: Unexpected character ('}'");
    assertThat(problem(reader, "[1e400]"))
        .isEqualTo("1:2 [0] a number with a fraction or an exponent must be at most 1.8e308");
    for (String text : List.of("NaN", "'a'", "[1,]", "// a\n1", "01", "+1", ".5", "{a: 1}")) {
      assertThat(problem(reader, text)).contains("not valid JSON: ");
    }
  }

  @Test
  void each_limit_holds() {
    JsonReader small = new JsonReader(SMALL);

    assertThat(small.read("[[[12345678]]]")).isNotNull();
    assertThat(problem(small, "[[[[1]]]]"))
        .isEqualTo("1:4 [0][0][0] a document must nest at most 3 levels deep");
    assertThat(problem(small, "\"12345678901\"")).contains("a string must have at most 10 bytes");
    assertThat(problem(small, "\"ééé\u00e9éé\""))
        .contains("a string must have at most 10 bytes, got 12");
    assertThat(problem(small, "{\"123456\": 1}"))
        .contains("a key must have at most 5 bytes, got 6");
    assertThat(problem(small, "{\"a\": 123456789}"))
        .isEqualTo("1:7 a number must have at most 8 digits, got 9");
    assertThat(problem(small, "[1e21]"))
        .isEqualTo("1:2 [0] the exponent of a number must be at most 20");
    assertThat(problem(small, "[1e-21]"))
        .isEqualTo("1:2 [0] the exponent of a number must be at most 20");
    assertThat(problem(small, "[" + "1,".repeat(11) + "1]"))
        .isEqualTo("1:24 [11] a document must have at most 12 values");
  }

  @Test
  void bytes_that_are_not_utf_8_are_rejected() {
    assertThat(JsonReader.decode("é😀".getBytes(StandardCharsets.UTF_8))).isEqualTo("é😀");
    assertThat(undecodable(0xEF, 0xBB, 0xBF, '1'))
        .contains("1:1 the file begins with a byte order");
    assertThat(undecodable(0xFF, 0xFE, '1', 0)).contains("1:1 the file is UTF-16 or UTF-32");
    assertThat(undecodable('"', '\n', 0xC0, 0x80)).isEqualTo("2:1 byte 2 is not valid UTF-8");
  }

  private Json.Numeral numeral(String text) {
    return (Json.Numeral) reader.read(text);
  }

  private static String problem(JsonReader reader, String text) {
    return shown(catchThrowableOfType(JsonProblem.class, () -> reader.read(text)));
  }

  private static String undecodable(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return shown(catchThrowableOfType(JsonProblem.class, () -> JsonReader.decode(bytes)));
  }

  private static String shown(JsonProblem problem) {
    return problem.at()
        + (problem.path().isEmpty() ? " " : " " + problem.path() + " ")
        + problem.sentence();
  }
}
