package dev.damask.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Values of every kind that the writers accept, the same in each run.
final class JsonSamples {
  private static final int RANDOM_VALUES = 300;
  private static final String CHARACTERS =
      "aZ 09_-/\"\\\n\r\t\b\f\u0000\u001f\u007f\u0080é\u2028\u2029漢\ud83d\ude00\ud800\udc00\ufeff";

  private final Random random = new Random(16);

  private JsonSamples() {}

  static List<@Nullable Object> values() {
    List<@Nullable Object> values = new ArrayList<>();
    Collections.addAll(values, null, true, false, 0, -1, 1L, Long.MIN_VALUE, Long.MAX_VALUE);
    Collections.addAll(values, 0.0, -0.0, 1.0, 0.1, 1e21, 1e-7, 1.5e300, Double.MIN_VALUE, 1e16);
    Collections.addAll(values, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
    Collections.addAll(values, new BigDecimal("1E+400"), new BigDecimal("12.340"), BigInteger.TEN);
    Collections.addAll(values, "", CHARACTERS, "\ud800", "\udc00x", List.of(), Map.of());
    Collections.addAll(values, Map.of(1L, "key 1"), new TreeMap<>(Map.of("b", 1L, "a", 2L)));
    TreeMap<String, Object> reversed = new TreeMap<>(Collections.reverseOrder());
    reversed.putAll(Map.of("a", 1L, "b", 2L, "B", 3L, "é", 4L));
    values.add(reversed);
    JsonSamples samples = new JsonSamples();
    for (int i = 0; i < RANDOM_VALUES; i++) {
      values.add(samples.value(5));
    }
    return values;
  }

  /// JSON texts in spellings that the canonical form of a tree changes or keeps.
  static List<String> texts() {
    return List.of(
        "1",
        " 1.50 ",
        "-0",
        "1E5",
        "1e+05",
        "0.10e-3",
        "123456789012345678901234567890.0",
        "true",
        "null",
        "\"\"",
        "\"a\\u0041\\/\\b\\f\\n\\u007f\\ud83d\\ude00\\u2028\"",
        "[ ]",
        "{ }",
        "[1, [2.0, {\"z\": null, \"a\": [true , false]}], \"x\"]",
        "{\"b\": 1, \"a\": {\"d\": 1.0, \"c\": []}, \"B\": \"\\t\", \"\": 0, \"é\": \"漢\"}",
        "{\"10\": 1, \"9\": 2, \"\\ud83d\\ude00\": 3, \"\\uffff\": 4}");
  }

  private @Nullable Object value(int depth) {
    return switch (random.nextInt(depth == 0 ? 6 : 9)) {
      case 0 -> random.nextBoolean() ? null : (Object) random.nextBoolean();
      case 1 -> random.nextLong();
      case 2 -> random.nextGaussian();
      case 3 -> new BigDecimal(new BigInteger(80, random), random.nextInt(40) - 20);
      case 4, 5 -> text();
      case 6 -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
          list.add(value(depth - 1));
        }
        yield list;
      }
      default -> {
        Map<String, @Nullable Object> map =
            random.nextBoolean() ? new LinkedHashMap<>() : new TreeMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
          map.put(text(), value(depth - 1));
        }
        yield map;
      }
    };
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(12); i > 0; i--) {
      text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
    }
    return text.toString();
  }
}
