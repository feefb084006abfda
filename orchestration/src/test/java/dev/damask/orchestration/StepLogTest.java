package dev.damask.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The line that is kept of an evaluation.
final class StepLogTest {
  private static final RuleDocument GRANTING =
      RuleDocument.read(
          """
          {"payload": {}, "onValid": {"grants": [{"address": "0xb0b", "rights": 1}]}}
          """);

  private static Map<String, @Nullable Object> of(String key, Object value) {
    return new TreeMap<>(Map.of(key, value));
  }

  private static String text(StepLog log) {
    StringBuilder out = new StringBuilder("1 valid ");
    log.appendTo(out);
    return out.substring("1 valid ".length());
  }

  @Test
  void it_is_in_canonical_form_with_all_its_parts_and_with_few() {
    String origin = StepLog.origin("r", "0xh");
    StepLog whole =
        new StepLog(
            origin,
            7,
            GRANTING.onValid(),
            of("z", "a b"),
            of("api", 1L),
            of("c", true),
            of("ok", 1L),
            "why");
    StepLog bare =
        new StepLog(origin, 7, GRANTING.onInvalid(), Map.of(), Map.of(), Map.of(), null, null);

    String expected =
        "{'apiSaves':{'api':1},'contractSaves':{'c':true},'cost':7,'execution':{'ok':1},"
            + "'grants':[{'address':'0xb0b','expireDays':365,'rights':1}],"
            + "'payload':{'z':'a b'},'soft':'why'}";
    assertThat(text(whole)).isEqualTo(expected.replace('\'', '"'));
    assertThat(text(bare)).isEqualTo("{\"cost\":7,\"payload\":{}}");
  }
}
