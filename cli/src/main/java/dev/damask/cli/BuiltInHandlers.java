package dev.damask.cli;

import dev.damask.effect.EffectCall;
import dev.damask.effect.EffectFailed;
import dev.damask.effect.EffectHandler;
import dev.damask.effect.HttpEffect;
import dev.damask.effect.HttpOptions;
import dev.damask.effect.JsonBodies;
import dev.damask.effect.LogEffect;
import dev.damask.effect.SleepEffect;
import dev.damask.task.Context;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The effects that `damask run` performs itself: `log`, `sleep`, and `http` once a host is
/// allowed; an `approval` waits in the engine. Without one, tasks of type `http` stay pending
/// instead of failing, so that a run that forgot `--allow` spoils nothing.
final class BuiltInHandlers {
  private final Map<String, EffectHandler> handlers = new TreeMap<>();

  BuiltInHandlers(Streams streams, List<String> allow) {
    handlers.put("sleep", new SleepEffect());
    handlers.put("log", new CaseLog(streams));
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

  /// The types whose tasks are under way while they are pending.
  Set<String> called() {
    return handlers.containsKey("http") ? Set.of("http", "log") : Set.of("log");
  }

  /// One line on standard error, after the name of the case.
  private record CaseLog(Streams streams) implements EffectHandler {
    @Override
    public Context call(EffectCall call) throws EffectFailed {
      return new LogEffect(
              (level, line) -> streams.err().println(call.caseId() + ": " + at(level) + line))
          .call(call);
    }

    @Override
    public boolean takesSecrets() {
      return false;
    }

    private static String at(System.Logger.Level level) {
      return level == System.Logger.Level.INFO ? "" : level.name().toLowerCase(Locale.ROOT) + ": ";
    }
  }

  /// JSON by the reader of documents' contexts.
  private static final class Bodies implements JsonBodies {
    @Override
    public @Nullable Object read(String text) {
      try {
        return JsonFile.parse("answer", text);
      } catch (Refusal e) {
        throw new IllegalArgumentException(e.getMessage());
      }
    }

    @Override
    public String write(@Nullable Object value) {
      return Json.text(value);
    }
  }
}
