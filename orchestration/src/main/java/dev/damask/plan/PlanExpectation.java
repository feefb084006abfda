package dev.damask.plan;

import dev.damask.session.ProcessInstance;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The expectations of a plan about one session.
///
/// @param timeline in the order of time
/// @param never steps that are never evaluated
/// @param finalStatuses one of them must be the status of the session; empty for any
/// @param finalStep the step that was evaluated last; null for any
/// @param result the assertions about the final payload
/// @param denials the steps that another owner's rule was not allowed to wake, once per denial
record PlanExpectation(
    List<Entry> timeline,
    List<String> never,
    List<String> finalStatuses,
    @Nullable String finalStep,
    List<PlanAssertion> result,
    List<String> denials) {
  /// Replaces the value of every assertion.
  PlanExpectation withValues(UnaryOperator<@Nullable Object> change) {
    List<Entry> entries = new ArrayList<>();
    for (Entry entry : timeline) {
      entries.add(
          new Entry(
              entry.isAll(),
              entry.alternatives().stream().map(each -> each.withValues(change)).toList()));
    }
    return new PlanExpectation(
        entries, never, finalStatuses, finalStep, changed(result, change), denials);
  }

  private static List<PlanAssertion> changed(
      List<PlanAssertion> assertions, UnaryOperator<@Nullable Object> change) {
    return assertions.stream()
        .map(each -> new PlanAssertion(each.key(), each.operator(), change.apply(each.value())))
        .toList();
  }

  /// A point of the timeline.
  ///
  /// @param isAll whether all alternatives must hold, or any
  record Entry(boolean isAll, List<Alternative> alternatives) {}

  /// One occurrence of a step.
  ///
  /// @param occurrence the number of the occurrence, from 1
  /// @param times how often the step occurs in total; -1 for any number
  /// @param exists whether the occurrence must exist or must not
  /// @param valid the outcome; null for any
  /// @param status the status of the process; null for any evaluated process
  /// @param values the assertions by subject: `input`, `output`, `api` or `read`
  record Alternative(
      String step,
      int occurrence,
      int times,
      boolean exists,
      @Nullable Boolean valid,
      ProcessInstance.@Nullable Status status,
      Map<Values, List<PlanAssertion>> values) {
    Alternative withValues(UnaryOperator<@Nullable Object> change) {
      Map<Values, List<PlanAssertion>> all = new EnumMap<>(Values.class);
      values.forEach((which, assertions) -> all.put(which, changed(assertions, change)));
      return new Alternative(step, occurrence, times, exists, valid, status, all);
    }

    @Override
    public String toString() {
      return step
          + (occurrence == 1 ? "" : " #" + occurrence)
          + (times < 0 ? "" : " " + times + " times")
          + (exists ? "" : " absent")
          + (valid == null ? "" : valid ? " valid" : " invalid")
          + (status == null ? "" : " " + PlanReader.word(status))
          + (values.isEmpty() ? "" : " with " + values);
    }
  }

  /// The subject of an assertion.
  enum Values {
    INPUT("inputAssertions"),
    OUTPUT("outputAssertions"),
    API("apiAssertions"),
    READ("contractReadAssertions");

    private final String field;

    Values(String field) {
      this.field = field;
    }

    String field() {
      return field;
    }

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}
