package dev.damask.orchestration;

import dev.damask.orchestration.Trouble.Hard;
import dev.damask.task.Context;
import dev.damask.term.StepNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The variables of one evaluation: payload, what was read and extracted so far, and what the
/// engine says about the process.
final class StepScope {
  static final String PROGRESS = "__progress";
  static final String EFFECT = "__effect";
  static final String SESSION = "__sessionId";
  static final String OWNER = "__owner";
  static final String GRAPH = "__graph";
  static final String WAKE_UP = "__wakeUp";

  private static final Set<String> INTERNAL = Set.of(PROGRESS, EFFECT);

  private StepScope() {}

  /// What a process begins with, and the first input that is missing.
  ///
  /// @param missing null when every required input is there
  record Input(Context variables, @Nullable String missing) {}

  /// Casts the inputs and fills the defaults in.
  static Input input(RuleDocument rule, Context given) throws Hard {
    Map<String, @Nullable Object> variables = meta(given);
    given.forEach((key, value) -> {
      if (!key.startsWith("__") && !rule.payload().containsKey(key)) {
        variables.put(key, untyped(value));
      }
    });
    String missing = null;
    for (Map.Entry<String, RuleDocument.Field> entry : rule.payload().entrySet()) {
      String name = entry.getKey();
      RuleDocument.Field field = entry.getValue();
      Object value = given.get(name);
      if (!isMissing(value)) {
        try {
          variables.put(name, field.type().cast(value));
        } catch (ValueType.CastFailed e) {
          throw new Hard(Hard.TX, "payload '" + name + "': " + e.getMessage());
        }
      } else if (field.fallback() != null) {
        variables.put(name, field.fallback());
      } else if (missing == null) {
        missing = name;
      }
    }
    return new Input(Context.from(variables), missing);
  }

  /// Absent, null, an empty text, list or object; 0 and false are there.
  static boolean isMissing(@Nullable Object value) {
    return switch (value) {
      case null -> true;
      case String text -> text.isEmpty();
      case List<?> items -> items.isEmpty();
      case Map<?, ?> entries -> entries.isEmpty();
      default -> false;
    };
  }

  /// Numbers without a declared type are doubles.
  static @Nullable Object untyped(@Nullable Object value) {
    return switch (value) {
      case Long number -> number.doubleValue();
      case BigDecimal number -> number.doubleValue();
      case List<?> items -> {
        List<@Nullable Object> copy = new ArrayList<>(items.size());
        for (Object item : items) {
          copy.add(untyped(item));
        }
        yield copy;
      }
      case Map<?, ?> entries -> {
        Map<String, @Nullable Object> copy = new TreeMap<>();
        entries.forEach((key, entry) -> copy.put(String.valueOf(key), untyped(entry)));
        yield copy;
      }
      case null, default -> value;
    };
  }

  /// The keys of the engine, and the short names of some of them.
  private static Map<String, @Nullable Object> meta(Context given) {
    Map<String, @Nullable Object> variables = reserved(given);
    if (given.get(StepNode.FROM) instanceof String from) {
      variables.put("from", from);
    }
    variables.put("pid", pid(given));
    return variables;
  }

  /// The keys that travel from a process to its children whatever the branch says.
  static Map<String, @Nullable Object> reserved(Context given) {
    Map<String, @Nullable Object> kept = new TreeMap<>();
    given.forEach((key, value) -> {
      if (key.startsWith("__") && !INTERNAL.contains(key)) {
        kept.put(key, value);
      }
    });
    return kept;
  }

  static String pid(Context given) {
    return session(given) + ":" + given.get(StepNode.PROCESS);
  }

  static long session(Context given) {
    return given.get(SESSION) instanceof Long number ? number : 0;
  }

  /// The name of a session in memory and in the store: one for each owner and number.
  static String key(Context given) {
    return SessionKey.of(String.valueOf(given.get(OWNER)), session(given)).caseId();
  }

  /// The variables of an evaluation that was interrupted by an effect.
  static Context resumed(Context given) {
    Map<String, @Nullable Object> variables = meta(given);
    if (given.get(PROGRESS) instanceof Map<?, ?> progress
        && progress.get("variables") instanceof Map<?, ?> values) {
      values.forEach((key, value) -> variables.put(String.valueOf(key), value));
    }
    return Context.from(variables);
  }
}
