package dev.damask.api;

import dev.damask.json.JsonWriter;
import dev.damask.session.ListedProcess;
import dev.damask.session.ProcessInstance;
import dev.damask.session.SentWakeUp;
import dev.damask.session.SessionKey;
import dev.damask.session.SessionView;
import dev.damask.session.WakeTarget;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Sessions and their processes as JSON, as the command line prints them.
public final class SessionSummary {
  private SessionSummary() {}

  /// Returns a session with its processes.
  public static Map<String, @Nullable Object> of(SessionView view) {
    List<Object> processes = new ArrayList<>();
    for (ProcessInstance process : view.processes()) {
      processes.add(process(view.key(), process));
    }
    Map<String, @Nullable Object> all = head(view);
    all.put("paused", view.paused());
    all.put("failure", view.failure().orElse(null));
    all.put("cancellation", view.cancellation().orElse(null));
    all.put("missingSecrets", new TreeMap<>(view.lacking()));
    all.put("cost", view.cost());
    all.put("result", new Unstructured("", view.result()));
    all.put("processes", processes);
    all.put("processesMade", view.made());
    all.put("wakeUps", view.wakeUps().stream().map(SessionSummary::wakeUp).toList());
    return all;
  }

  private static Map<String, @Nullable Object> wakeUp(SentWakeUp wakeUp) {
    return JsonWriter.object(
        "step", wakeUp.step(),
        "iterationStep", wakeUp.iteration(),
        "runner", wakeUp.session().owner(),
        "sessionId", wakeUp.session().number(),
        "stepId", wakeUp.target(),
        "woken", wakeUp.woken());
  }

  /// Returns a session without its processes.
  public static Map<String, @Nullable Object> head(SessionView view) {
    return JsonWriter.object(
        "owner", view.key().owner(),
        "sessionId", view.key().number(),
        "ostcId", view.graph(),
        "ostcHash", view.graphHash(),
        "status", word(view.status()),
        "started", time(view.startedMillis()),
        "updated", time(view.updatedMillis()));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static Map<String, @Nullable Object> process(SessionKey key, ProcessInstance process) {
    return JsonWriter.object(
        "pid", pid(key, process.iteration()),
        "parentPid", process.parent() == 0 ? null : pid(key, process.parent()),
        "iterationStep", process.iteration(),
        "step", process.step(),
        "status", word(process.status()),
        "valid", process.valid().orElse(null),
        "updated", time(process.updatedMillis()),
        "nextWakeAt", time(process.nextWakeAt()),
        "killedAt", time(process.killedAt()),
        "joinGroupId", (long) process.group(),
        "joinFromGroupId", (long) process.fromGroup(),
        "expected", process.expected(),
        "delivered", process.delivered(),
        "joinFail", process.joinFail(),
        "reason", process.reason());
  }

  private static String pid(SessionKey key, long iteration) {
    return key.number() + ":" + iteration;
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  private static @Nullable String time(OptionalLong millis) {
    return millis.isPresent() ? time(millis.getAsLong()) : null;
  }

  /// Returns a process among those of several sessions.
  public static Map<String, @Nullable Object> of(ListedProcess listed) {
    Map<String, @Nullable Object> all =
        JsonWriter.object(
            "owner", listed.session().owner(),
            "sessionId", listed.session().number(),
            "ostcId", listed.graph(),
            "ostcHash", listed.graphHash());
    all.putAll(process(listed.session(), listed.process()));
    return all;
  }

  /// Returns a process that may be woken.
  public static Map<String, @Nullable Object> of(WakeTarget target) {
    return JsonWriter.object(
        "owner", target.session().owner(),
        "sessionId", target.session().number(),
        "pid", pid(target.session(), target.iteration()),
        "step", target.step(),
        "nextWakeAt", time(target.nextWakeAt()),
        "fields", target.fields().stream().map(SessionSummary::field).toList());
  }

  private static Map<String, @Nullable Object> field(WakeTarget.Field field) {
    return JsonWriter.object(
        "name", field.name(),
        "type", field.type(),
        "required", field.isRequired(),
        "present", field.isPresent(),
        "default", field.fallback(),
        "missing", field.isMissing());
  }
}
