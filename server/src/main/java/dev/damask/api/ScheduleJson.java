package dev.damask.api;

import dev.damask.json.JsonWriter;
import dev.damask.ops.ScheduleView;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A schedule as JSON, for answers and for the command line.
public final class ScheduleJson {
  private ScheduleJson() {}

  /// Returns the fields of a schedule.
  public static Map<String, @Nullable Object> of(ScheduleView view) {
    return JsonWriter.object(
        "name", view.name(),
        "workflow", view.workflow(),
        "timing", view.schedule().timing().toString(),
        "overlap", view.schedule().overlap().word(),
        "catchUp", view.schedule().catchUp().toString(),
        "paused", view.isPaused(),
        "next", view.due().map(Instant::toString).orElse(null),
        "last", view.lastTime().map(Instant::toString).orElse(null),
        "lastCase", view.lastCase().isEmpty() ? null : view.lastCase(),
        "queued", view.queued().map(Instant::toString).orElse(null),
        "missed", view.skipped(),
        "input", Confidential.of(view.workflow(), view.input()));
  }
}
