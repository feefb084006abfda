package dev.damask.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.rule.CompiledRule;
import dev.damask.rule.EvaluationException;
import dev.damask.rule.RuleDocument;
import dev.damask.task.ProcessInfo;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What an evaluation sees of what a process was given.
final class StepScopeTest {
  private static final String PLAIN = "{\"payload\": {}}";

  private static final Context GIVEN =
      Context.of(StepScope.SESSION, 7L, ProcessInfo.NUMBER, 3L).with(ProcessInfo.FROM, "Quote");

  private static CompiledRule compiled(String rule) {
    return new CompiledRule(RuleDocument.read(rule));
  }

  private static StepScope.Input input(String rule, Context given) throws EvaluationException.Hard {
    return StepScope.input(compiled(rule), given);
  }

  @Test
  void the_engine_has_short_names_for_rules_that_use_them() throws EvaluationException.Hard {
    String uses = "{\"payload\": {}, \"rules\": [\"[from] != [pid]\"]}";

    Context variables = input(uses, GIVEN).variables();

    assertThat(variables.get("from")).isEqualTo("Quote");
    assertThat(variables.get("pid")).isEqualTo("7:3");
    assertThat(input(PLAIN, GIVEN).variables()).isEqualTo(GIVEN);
  }

  @Test
  void a_rule_that_looks_at_all_variables_finds_the_short_names() throws EvaluationException.Hard {
    String looks = "{\"payload\": {}, \"rules\": [\"ctx['p' + 'id'] == '7:3'\"]}";

    assertThat(input(looks, GIVEN).variables().get("pid")).isEqualTo("7:3");
  }

  @Test
  void a_newer_rule_finds_the_short_names_that_the_one_before_did_not_use() {
    String newer = "{\"payload\": {}, \"rules\": [\"[pid] == '7:3'\"]}";
    Context waiting = GIVEN.with(StepScope.PROGRESS, Map.of("stage", "READS"));

    assertThat(StepScope.resumed(compiled(newer), waiting).get("pid")).isEqualTo("7:3");
  }

  @Test
  void a_payload_cannot_set_the_keys_of_the_engine_also_if_it_declares_them()
      throws EvaluationException.Hard {
    Context given = GIVEN.with("from", "Rome").with("pid", 12L);
    String declared =
        "{\"payload\": {\"from\": {\"type\": \"string\"}, \"pid\": {\"type\": \"int64\"}}}";
    String used = "{\"payload\": {}, \"rules\": [\"[from] != [pid]\"]}";

    Context untyped = input(used, given).variables();
    Context typed = input(declared, given).variables();

    assertThat(untyped.get("from")).isEqualTo("Quote");
    assertThat(untyped.get("pid")).isEqualTo("7:3");
    assertThat(typed.get("from")).isEqualTo("Quote");
    assertThat(typed.get("pid")).isEqualTo("7:3");
  }

  @Test
  void what_is_declared_and_not_given_is_missing_but_for_the_short_names()
      throws EvaluationException.Hard {
    StepScope.Input input =
        input(
            "{\"payload\": {\"pid\": {\"type\": \"string\"}, \"x\": {\"type\": \"string\"}}}",
            GIVEN.with("x", ""));

    assertThat(input.missing()).isEqualTo("pid");
    assertThat(input.variables().has("x")).isFalse();
    assertThat(input.variables().get("pid")).isEqualTo("7:3");
  }

  @Test
  void numbers_without_a_type_are_doubles_and_the_keys_of_the_engine_stay()
      throws EvaluationException.Hard {
    Context given = GIVEN.with("n", 5L).with(StepScope.PROGRESS, "p").with(StepScope.EFFECT, "e");

    Context variables = input(PLAIN, given).variables();

    assertThat(variables.get("n")).isEqualTo(5.0);
    assertThat(variables.get(StepScope.SESSION)).isEqualTo(7L);
    assertThat(variables.has(StepScope.PROGRESS)).isFalse();
  }

  @Test
  void what_was_given_and_computed_comes_back_after_an_effect() throws EvaluationException.Hard {
    Context given = GIVEN.with("n", 5L).with("x", "").with("same", "s");
    String rule = "{\"payload\": {\"n\": {\"type\": \"string\"}, \"x\": {\"type\": \"string\"}}}";
    Context variables = input(rule, given).variables().with("read", 1L);
    Map<String, @Nullable Object> progress = new TreeMap<>();

    StepScope.save(variables, given.with(StepScope.EFFECT, "the last one"), progress);
    Context again =
        StepScope.resumed(
            compiled(rule),
            given.with(StepScope.PROGRESS, progress).with(StepScope.EFFECT, "next"));

    assertThat(again).isEqualTo(variables);
    assertThat(again.has("x")).isFalse();
    assertThat(progress.toString()).isEqualTo("{gone=[x], variables={n=5, read=1}}");
  }

  @Test
  void the_result_of_an_effect_survives_the_asking() {
    Context given = Context.of("n", 1L, StepScope.PROGRESS, Map.of("stage", "READS"));
    Context result = given.with(StepScope.EFFECT, Map.of("values", List.of(7L)));

    Context answer = StepScope.asking(result).with(StepScope.EFFECT, Map.of());

    assertThat(StepScope.answered(answer)).isEqualTo(result);
    assertThat(StepScope.answered(StepScope.asking(given).with(StepScope.EFFECT, Map.of())))
        .isEqualTo(given);
    assertThat(StepScope.answered(given)).isSameAs(given);
  }
}
