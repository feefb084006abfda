package dev.damask.step;

import dev.damask.rule.CompiledRule;
import dev.damask.rule.EvaluationException.Hard;
import dev.damask.rule.RuleDocument;
import dev.damask.rule.ValueType;
import dev.damask.task.ProcessInfo;
import dev.damask.term.StepNode;
import dev.damask.value.Context;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The variables of one evaluation: the payload, the values read and extracted so far, and the
/// engine's data about the process.
public final class StepScope {
  public static final String PROGRESS = "__progress";
  static final String RULE = "rule"; // within the progress: the hash of the rule
  public static final String EFFECT = "__effect";
  private static final String ASKED = "__asked"; // for secrets, before anything else
  public static final String SESSION = "__sessionId";
  public static final String OWNER = "__owner";
  public static final String WAKE_UP = "__wakeUp";

  private static final Set<String> INTERNAL = Set.of(PROGRESS, EFFECT, ASKED);

  private StepScope() {}

  /// The input of a process and the first missing key.
  ///
  /// @param missing null if every required input is present
  record Input(Context variables, @Nullable String missing) {}

  /// Casts the inputs and adds the defaults.
  static Input input(CompiledRule rule, Context given) throws Hard {
    Context variables = untypedNumbers(rule.document(), given);
    String missing = null;
    List<CompiledRule.Input> inputs = rule.inputs();
    for (int i = 0; i < inputs.size(); i++) {
      String name = inputs.get(i).key();
      RuleDocument.Field field = inputs.get(i).field();
      Object value = given.get(name);
      if (!isMissing(value)) {
        try {
          variables = variables.with(name, field.type().cast(value));
        } catch (ValueType.CastFailed e) {
          throw new Hard(Hard.TX, "payload '" + name + "': " + e.getMessage());
        }
      } else if (field.fallback() != null) {
        variables = variables.with(name, field.fallback());
      } else {
        variables = variables.without(name);
        missing = missing == null ? name : missing;
      }
    }
    return new Input(named(rule, variables, given), missing);
  }

  /// The payload with numbers of no declared type as doubles, without the engine's internal keys.
  private static Context untypedNumbers(RuleDocument rule, Context given) {
    Context[] result = {given.without(PROGRESS).without(EFFECT)};
    given.forEach((key, value) -> {
      if (!key.startsWith(StepNode.RESERVED) && !rule.payload().containsKey(key)) {
        result[0] = result[0].with(key, untyped(value));
      }
    });
    return result[0];
  }

  /// The payload that a step received, without the engine's keys.
  static Context inputs(Context given) {
    return given.keeping(key -> !key.startsWith(StepNode.RESERVED));
  }

  /// Whether a value is absent, null, or an empty string, list or object. 0 and false are not
  /// missing.
  public static boolean isMissing(@Nullable Object value) {
    return switch (value) {
      case null -> true;
      case String text -> text.isEmpty();
      case List<?> items -> items.isEmpty();
      case Map<?, ?> entries -> entries.isEmpty();
      default -> false;
    };
  }

  /// Converts numbers without a declared type to doubles.
  public static @Nullable Object untyped(@Nullable Object value) {
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

  /// Adds the engine's short names if the rule may use them. They override keys of the payload.
  private static Context named(CompiledRule rule, Context variables, Context given) {
    Context named = variables;
    if (rule.mayUse(CompiledRule.FROM) && given.get(ProcessInfo.FROM) instanceof String from) {
      named = named.with(CompiledRule.FROM, from);
    }
    return rule.mayUse(CompiledRule.PID) && given.has(ProcessInfo.NUMBER)
        ? named.with(CompiledRule.PID, pid(given))
        : named;
  }

  static String pid(Context given) {
    return session(given) + ":" + given.get(ProcessInfo.NUMBER);
  }

  public static long session(Context given) {
    return given.get(SESSION) instanceof Long number ? number : 0;
  }

  /// The payload without the engine's keys.
  public static Map<String, @Nullable Object> plain(Map<String, @Nullable Object> payload) {
    Map<String, @Nullable Object> own = new TreeMap<>(payload);
    own.keySet().removeIf(name -> name.startsWith("_"));
    return own;
  }

  /// The context with which a process asks for its secrets. The result of an earlier effect is kept
  /// under another key, because the answer replaces it.
  static Context asking(Context given) {
    Map<String, @Nullable Object> kept = new TreeMap<>();
    if (given.has(EFFECT)) {
      kept.put(EFFECT, given.get(EFFECT));
    }
    return given.without(EFFECT).with(ASKED, kept);
  }

  /// The context before a process asked for its secrets; unchanged if it did not ask.
  static Context answered(Context given) {
    if (!(given.get(ASKED) instanceof Map<?, ?> kept)) {
      return given;
    }
    Context before = given.without(ASKED).without(EFFECT);
    return kept.containsKey(EFFECT) ? before.with(EFFECT, kept.get(EFFECT)) : before;
  }

  /// Stores how the variables differ from the payload, for [#resumed].
  static void save(Context variables, Context given, Map<String, @Nullable Object> progress) {
    Map<String, @Nullable Object> changed = new TreeMap<>();
    List<String> gone = new ArrayList<>();
    variables.changesSince(
        given,
        (key, value, present) -> {
          if (present) {
            changed.put(key, value);
          } else if (!INTERNAL.contains(key)) {
            gone.add(key);
          }
        });
    if (!changed.isEmpty()) {
      progress.put("variables", changed);
    }
    if (!gone.isEmpty()) {
      progress.put("gone", gone);
    }
  }

  /// The hash of the rule with which an interrupted evaluation was started; null if no evaluation
  /// was interrupted or an older version stored it.
  public static @Nullable String ruleHash(Context given) {
    Object progress = given.get(PROGRESS);
    return progress instanceof Map<?, ?> map && map.get(RULE) instanceof String hash ? hash : null;
  }

  /// The variables of an evaluation that was interrupted by an effect.
  public static Context resumed(CompiledRule rule, Context given) {
    Context variables = given.without(PROGRESS).without(EFFECT);
    if (!(given.get(PROGRESS) instanceof Map<?, ?> progress)) {
      return named(rule, variables, given);
    }
    if (progress.get("gone") instanceof List<?> gone) {
      for (Object key : gone) {
        variables = variables.without(String.valueOf(key));
      }
    }
    if (progress.get("variables") instanceof Map<?, ?> changed) {
      for (Map.Entry<?, ?> entry : changed.entrySet()) {
        variables = variables.with(String.valueOf(entry.getKey()), entry.getValue());
      }
    }
    return named(rule, variables, given); // in progress of format 4, the rule may be newer
  }
}
