package dev.damask.effect;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// The effect types every engine has handlers for: `log`, `sleep` and `http`. The fourth built-in
/// type, `approval`, has none: it waits for people ([Approval]).
public final class BuiltInEffects {
  private BuiltInEffects() {}

  /// By type. With [HttpOptions#CLOSED] `http` calls nobody.
  public static Map<String, EffectHandler> all(HttpOptions http) {
    Map<String, EffectHandler> handlers = new TreeMap<>();
    handlers.put("http", new HttpEffect(http));
    handlers.put("log", new LogEffect());
    handlers.put("sleep", new SleepEffect());
    return Collections.unmodifiableMap(handlers);
  }
}
