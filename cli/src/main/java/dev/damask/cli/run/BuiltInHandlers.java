package dev.damask.cli.run;

import dev.damask.cli.command.JsonFiles;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.Streams;
import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectException;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.LogEffect;
import dev.damask.effect.SleepEffect;
import dev.damask.http.HttpEffect;
import dev.damask.http.HttpOptions;
import dev.damask.http.JsonBodies;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonWriter;
import dev.damask.value.Context;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The effects that `damask run` performs itself: `log`, `sleep`, and `http` once a host is
/// allowed; an `approval` waits in the engine. Without a host, tasks of type `http` stay pending
/// instead of failing, so that a run without `--allow` spoils nothing.
final class BuiltInHandlers {
  private final Map<String, EffectHandler> handlers = new TreeMap<>();

  /// @param label what the lines of a case begin with, by its id
  BuiltInHandlers(Streams streams, List<String> allow, UnaryOperator<String> label) {
    handlers.put("sleep", new SleepEffect());
    handlers.put("log", new CaseLog(streams, label));
    if (!allow.isEmpty()) {
      handlers.put("http", new HttpEffect(options(allow)));
    }
  }

  static HttpOptions options(List<String> allow) {
    try {
      return HttpOptions.allowing(allow).withJson(new Bodies());
    } catch (IllegalArgumentException e) {
      throw new Refusal("--allow: " + e.getMessage());
    }
  }

  Map<String, EffectHandler> all() {
    return handlers;
  }

  /// Returns the types whose tasks are in progress while they are pending.
  Set<String> called() {
    return handlers.containsKey("http") ? Set.of("http", "log") : Set.of("log");
  }

  /// One line on standard error, after the label of the case.
  private record CaseLog(Streams streams, UnaryOperator<String> label) implements EffectHandler {
    @Override
    public Context call(EffectCall call) throws EffectException {
      String name = label.apply(call.caseId());
      return new LogEffect((level, line) -> streams.err().println(name + ": " + at(level) + line))
          .call(call.withPayload(readable(call.with())));
    }

    /// Data in a message are printed as JSON.
    private static Context readable(Context with) {
      return with.has("message") && !(with.get("message") instanceof String)
          ? with.with("message", JsonWriter.line(with.get("message")))
          : with;
    }

    @Override
    public boolean takesSecrets() {
      return false;
    }

    private static String at(System.Logger.Level level) {
      return level == System.Logger.Level.INFO ? "" : level.name().toLowerCase(Locale.ROOT) + ": ";
    }
  }

  /// JSON bodies as plain values.
  private static final class Bodies implements JsonBodies {
    @Override
    public @Nullable Object read(String text) {
      try {
        return JsonFiles.read(text).plain();
      } catch (JsonProblem e) {
        throw new IllegalArgumentException("answer:" + e.at() + ": " + e.sentence());
      }
    }

    @Override
    public String write(@Nullable Object value) {
      return JsonWriter.line(value);
    }
  }
}
