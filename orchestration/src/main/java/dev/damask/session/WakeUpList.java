package dev.damask.session;

import dev.damask.source.Address;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who may wake the waiting steps of a session, as its start payload specifies. What is not allowed
/// is denied; the owner of a session needs no permission.
record WakeUpList(@Nullable Object raw) {
  private static final String ANYBODY = "*";
  private static final String ZERO = "0x0000000000000000000000000000000000000000";

  /// The list of a step, or the default if it has none.
  private Map<?, ?> entry(String step) {
    if (!(raw instanceof Map<?, ?> map)) {
      return Map.of();
    }
    if (map.get("steps") instanceof Map<?, ?> steps && steps.get(step) instanceof Map<?, ?> own) {
      return own;
    }
    return map.get("default") instanceof Map<?, ?> common ? common : Map.of();
  }

  /// Whether a caller may wake a step. Wildcards are not supported here.
  boolean allowsCall(String step, String caller) {
    return entry(step).get("rpc") instanceof List<?> names && Address.isAmong(names, caller);
  }

  /// Whether a rule of another owner's session may wake a step.
  boolean allowsRule(String step, String caller, String rule) {
    return switch (entry(step).get("internal")) {
      case List<?> names -> isListed(names, caller);
      case Map<?, ?> map -> {
        boolean named = !map.containsKey("fromXRC137") || names(map.get("fromXRC137"), rule);
        yield named && map.get("allow") instanceof List<?> names && isListed(names, caller);
      }
      case null, default -> false;
    };
  }

  /// Whether a list of rules, or a single one, names a rule. Anything else names none.
  private static boolean names(@Nullable Object rules, String rule) {
    return switch (rules) {
      case String one -> Address.same(one, rule);
      case List<?> all -> Address.isAmong(all, rule);
      case null, default -> false;
    };
  }

  private static boolean isListed(List<?> names, String caller) {
    return names.contains(ANYBODY) || names.contains(ZERO) || Address.isAmong(names, caller);
  }
}
