package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.Json.Fields;
import dev.damask.term.Cron;
import dev.damask.term.Schedule;
import dev.damask.term.Schedule.CatchUp;
import dev.damask.term.Schedule.Overlap;
import dev.damask.term.Timing;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The schedule of a document. It has the name of the workflow.
///
/// @param input the context that its cases start with
public record DocumentSchedule(Schedule schedule, Context input) {
  static Optional<DocumentSchedule> read(FieldReader workflow) {
    if (!workflow.has("schedule")) {
      return Optional.empty();
    }
    FieldReader fields = workflow.object("schedule");
    if (fields.has("zone") && !fields.has("cron")) {
      throw fields.problem("zone", "'zone' requires 'cron'; an interval has no time zone");
    }
    Schedule schedule =
        fields.has("cron")
            ? fields.make(() -> Schedule.cron(fields.text("cron"), fields.text("zone", "UTC")))
            : fields.make(() -> Schedule.every(Objects.requireNonNull(fields.duration("every"))));
    String overlap = fields.text("overlap", Overlap.SKIP.word()).toUpperCase(Locale.ROOT);
    return Optional.of(
        new DocumentSchedule(
            schedule.overlap(Overlap.valueOf(overlap)).catchUp(catchUp(fields)),
            fields.context("with")));
  }

  private static CatchUp catchUp(FieldReader fields) {
    Json node = fields.node("catchUp");
    if (node instanceof Fields) {
      FieldReader all = fields.object("catchUp");
      return all.make(() -> CatchUp.within(Objects.requireNonNull(all.duration("within"))));
    }
    return fields.text("catchUp", "last").equals("none") ? CatchUp.none() : CatchUp.last();
  }

  /// The schedule as a document has it.
  Map<String, @Nullable Object> tree() {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    switch (schedule.timing()) {
      case Cron cron -> {
        tree.put("cron", cron.expression());
        tree.put("zone", cron.zone().getId());
      }
      case Timing.Every(var interval) -> tree.put("every", interval.toString());
    }
    if (schedule.overlap() != Overlap.SKIP) {
      tree.put("overlap", schedule.overlap().word());
    }
    switch (schedule.catchUp()) {
      case CatchUp.None() -> tree.put("catchUp", "none");
      case CatchUp.Last() -> {}
      case CatchUp.Within(Duration age) -> tree.put("catchUp", Map.of("within", age.toString()));
    }
    if (!input.isEmpty()) {
      tree.put("with", input.toMap());
    }
    return tree;
  }
}
