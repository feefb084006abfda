package dev.damask.plan;

import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.plan.PlanExpectation.Alternative;
import dev.damask.plan.PlanExpectation.Entry;
import dev.damask.plan.PlanExpectation.Values;
import dev.damask.plan.PlanResult.Mismatch;
import dev.damask.session.LogLine;
import dev.damask.session.ProcessInstance;
import dev.damask.session.SessionView;
import dev.damask.source.JsonTexts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Compares a session with the expectations of a plan.
///
/// @param denials the steps for which a wake-up was denied, sorted
/// @param inputs the input of each process, by its iteration
record PlanComparison(
    SessionView view,
    List<LogLine> log,
    List<String> denials,
    LongFunction<Map<String, @Nullable Object>> inputs) {
  static List<String> sorted(List<String> names) {
    return names.stream().sorted().toList();
  }

  /// One occurrence of a step.
  ///
  /// @param place the index in the log; -1 if it was not evaluated
  private record Found(ProcessInstance process, int place, @Nullable LogLine line) {}

  List<Mismatch> failures(PlanExpectation expectation, int step) {
    List<Mismatch> failures = new ArrayList<>();
    int last = -1;
    for (Entry entry : expectation.timeline()) {
      last = compare(entry, last, step, failures);
    }
    for (String never : expectation.never()) {
      int times = occurrences(never, false).size();
      if (times > 0) {
        failures.add(new Mismatch(step, never + " never", never + " " + times + " times"));
      }
    }
    String status = PlanReader.word(view.status());
    if (!expectation.finalStatuses().isEmpty()
        && !PlanReader.isAmong(expectation.finalStatuses(), view.status())) {
      String wanted = "status " + String.join(" or ", expectation.finalStatuses());
      String why = view.failure().map(failure -> " (" + failure + ")").orElse("");
      failures.add(new Mismatch(step, wanted, status + why));
    }
    String finalStep = log.isEmpty() ? "none" : log.getLast().step();
    if (expectation.finalStep() != null && !expectation.finalStep().equals(finalStep)) {
      failures.add(new Mismatch(step, "final step " + expectation.finalStep(), finalStep));
    }
    if (!expectation.denials().isEmpty() && !denials.equals(sorted(expectation.denials()))) {
      String wanted = "denials of wake-ups at " + expectation.denials();
      failures.add(new Mismatch(step, wanted, denials.toString()));
    }
    for (PlanAssertion assertion : expectation.result()) {
      if (!assertion.holds(view.result().get(assertion.key()))) {
        failures.add(
            new Mismatch(step, "result " + assertion, JsonWriter.canonical(view.result())));
      }
    }
    return failures;
  }

  /// Compares a point of the timeline and returns the new position in the log: the last occurrence
  /// if all alternatives must hold, otherwise the first.
  ///
  /// @param last the position in the log after the previous point
  private int compare(Entry entry, int last, int step, List<Mismatch> failures) {
    List<Integer> places = new ArrayList<>();
    List<String> reasons = new ArrayList<>();
    for (Alternative each : entry.alternatives()) {
      List<Found> found = occurrences(each.step(), each.status() != null);
      String reason = reason(each, found, last);
      if (reason != null) {
        reasons.add(reason);
      } else if (each.exists() && each.times() != 0) {
        places.add(Math.max(last, found.get(each.occurrence() - 1).place()));
      }
    }
    boolean holds =
        entry.isAll() ? reasons.isEmpty() : reasons.size() < entry.alternatives().size();
    if (!holds) {
      String word = entry.alternatives().size() == 1 ? "" : entry.isAll() ? "all of " : "any of ";
      String wanted =
          String.join(", ", entry.alternatives().stream().map(Alternative::toString).toList());
      failures.add(new Mismatch(step, word + wanted, String.join("; ", reasons)));
    }
    return places.isEmpty()
        ? last
        : entry.isAll() ? Collections.max(places) : Collections.min(places);
  }

  /// The occurrences of a step.
  ///
  /// @param all whether to include processes that were not evaluated
  private List<Found> occurrences(String step, boolean all) {
    List<Found> found = new ArrayList<>();
    for (ProcessInstance process : view.at(step)) {
      int place = -1;
      for (int i = 0; i < log.size(); i++) {
        place = log.get(i).iteration() == process.iteration() ? i : place;
      }
      if (all || place >= 0) {
        found.add(new Found(process, place, place < 0 ? null : log.get(place)));
      }
    }
    return found;
  }

  /// Why an alternative does not hold; null if it holds.
  private @Nullable String reason(Alternative wanted, List<Found> found, int last) {
    String step = wanted.step();
    if (wanted.times() >= 0 && found.size() != wanted.times()) {
      return step + " " + found.size() + " times";
    }
    boolean isThere = found.size() >= wanted.occurrence();
    if (!wanted.exists() || wanted.times() == 0) {
      return isThere && !wanted.exists() ? step + " " + found.size() + " times" : null;
    }
    if (!isThere) {
      return step + (found.isEmpty() ? " never" : " only " + found.size() + " times");
    }
    Found one = found.get(wanted.occurrence() - 1);
    if (one.place() >= 0 && one.place() <= last) {
      return step + " before a step that must precede it";
    }
    boolean isValid = one.line() != null && one.line().outcome().equals("valid");
    boolean isJudged = isValid || (one.line() != null && one.line().outcome().equals("invalid"));
    if (wanted.valid() != null && !(isJudged && wanted.valid() == isValid)) {
      return step + " " + (one.line() == null ? "not evaluated" : one.line().outcome());
    }
    if (wanted.status() != null && wanted.status() != one.process().status()) {
      return step + " " + PlanReader.word(one.process().status());
    }
    return values(wanted, one);
  }

  private @Nullable String values(Alternative wanted, Found one) {
    for (Map.Entry<Values, List<PlanAssertion>> entry : wanted.values().entrySet()) {
      Map<?, ?> values = of(entry.getKey(), one);
      for (PlanAssertion assertion : entry.getValue()) {
        if (!assertion.holds(values.get(assertion.key()))) {
          return wanted.step() + " " + entry.getKey() + " " + JsonWriter.canonical(values);
        }
      }
    }
    return null;
  }

  private Map<?, ?> of(Values which, Found one) {
    if (which == Values.INPUT) {
      return inputs.apply(one.process().iteration());
    }
    String field =
        switch (which) {
          case INPUT, OUTPUT -> "payload";
          case API -> "apiSaves";
          case READ -> "contractSaves";
        };
    Json body = JsonTexts.read(one.line() == null ? "{}" : one.line().body());
    return JsonTexts.value(body) instanceof Map<?, ?> map
            && map.get(field) instanceof Map<?, ?> values
        ? values
        : Map.of();
  }
}
