package dev.damask.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.rule.RuleDocument;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What is kept of an evaluation beside its payload.
final class StepLogTest {
  private static final RuleDocument GRANTING =
      RuleDocument.read(
          """
          {"payload": {}, "onValid": {"grants": [{"address": "0xb0b", "rights": 1}]}}
          """);

  private static Map<String, @Nullable Object> of(String key, Object value) {
    return new TreeMap<>(Map.of(key, value));
  }

  @Test
  void it_is_in_canonical_form_with_all_its_parts_and_empty_without() {
    StepLog whole =
        new StepLog(GRANTING.onValid(), of("api", 1L), of("c", true), of("ok", 1L), "why", null);
    StepLog bare = new StepLog(GRANTING.onInvalid(), Map.of(), Map.of(), null, null, null);
    StepLog soft = new StepLog(GRANTING.onInvalid(), Map.of(), Map.of(), null, "a \"b\"", null);

    String expected =
        "{'apiSaves':{'api':1},'contractSaves':{'c':true},'execution':{'ok':1},"
            + "'grants':[{'address':'0xb0b','expireDays':365,'rights':1}],'soft':'why'}";
    assertThat(whole.json()).isEqualTo(expected.replace('\'', '"'));
    assertThat(bare.json()).isEmpty();
    assertThat(soft.json()).isEqualTo("{\"soft\":\"a \\\"b\\\"\"}");
  }
}
