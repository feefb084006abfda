package dev.damask.effect;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// The effect types every engine has handlers for: `log` and `sleep`. The built-in type `approval`
/// has no handler: it waits for a decision ([Approval]). The handler of `http` is in the module
/// `effects-http`.
public final class BuiltInEffects {
  private BuiltInEffects() {}

  /// Returns the handlers by type.
  public static Map<String, EffectHandler> all() {
    Map<String, EffectHandler> handlers = new TreeMap<>();
    handlers.put("log", new LogEffect());
    handlers.put("sleep", new SleepEffect());
    return Collections.unmodifiableMap(handlers);
  }
}
