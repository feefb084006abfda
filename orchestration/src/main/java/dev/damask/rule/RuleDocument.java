package dev.damask.rule;

import dev.damask.json.Json;
import dev.damask.source.Hash;
import dev.damask.source.Rejected;
import dev.damask.value.StepOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The rule of a step as data: its inputs, reads and calls, conditions and outputs.
///
/// @param payload by name, in the order of the document
/// @param canonical the canonical form, which the hash covers
/// @param rawHash the hash of the document as it was read
public record RuleDocument(
    Map<String, Field> payload,
    List<Read> reads,
    List<Call> calls,
    List<Rule> rules,
    Branch onValid,
    Branch onInvalid,
    String canonical,
    String rawHash) {
  public RuleDocument {
    payload = Collections.unmodifiableMap(new LinkedHashMap<>(payload));
    reads = List.copyOf(reads);
    calls = List.copyOf(calls);
    rules = List.copyOf(rules);
  }

  /// The outcomes that an evaluation can have, apart from hard errors. A rule without conditions
  /// and computed values is always valid.
  public Set<StepOutcome> outcomes() {
    EnumSet<StepOutcome> outcomes = EnumSet.of(StepOutcome.VALID);
    boolean demands =
        payload.values().stream().anyMatch(field -> field.fallback() == null)
            || rules.stream().anyMatch(rule -> rule.kind() == Kind.VALIDATE);
    boolean asks = !reads.isEmpty() || !calls.isEmpty() || onValid.execution() != null;
    boolean computes =
        onValid.payload().values().stream().anyMatch(value -> !(value instanceof Json.Numeral))
            || !onValid.wakeUps().isEmpty()
            || onValid.waitSec() instanceof Json.Text
            || onValid.waitUntilMillis() instanceof Json.Text;
    if (demands || asks || computes) {
      outcomes.add(StepOutcome.INVALID);
    }
    for (Rule rule : rules) {
      switch (rule.kind()) {
        case ABORT_STEP -> outcomes.add(StepOutcome.ABORTED);
        case CANCEL_SESSION -> outcomes.add(StepOutcome.CANCELLED);
        case VALIDATE -> {}
      }
    }
    return outcomes;
  }

  /// The types of the declared variables in expressions.
  Map<String, String> types() {
    Map<String, String> types = new TreeMap<>();
    payload.forEach((name, field) -> types.put(name, field.type().inExpressions()));
    reads.forEach(read ->
        read.saves().values().forEach(save -> types.put(save.key(), save.type().inExpressions())));
    calls.forEach(call ->
        call.extracts()
            .forEach((alias, extract) -> types.put(alias, extract.type().inExpressions())));
    return types;
  }

  /// Whether an evaluation may take this branch, as far as the document shows.
  public boolean canBe(boolean valid) {
    boolean isNever =
        rules.stream()
            .anyMatch(rule ->
                rule.kind() == Kind.VALIDATE
                    && RuleText.constant(rule.expression()).equals(Optional.of(false)));
    if (valid) {
      return !isNever;
    }
    boolean demands =
        payload.values().stream().anyMatch(field -> field.fallback() == null)
            || rules.stream()
                .anyMatch(rule ->
                    rule.kind() == Kind.VALIDATE
                        && !RuleText.constant(rule.expression()).equals(Optional.of(true)));
    boolean asks = !reads.isEmpty() || !calls.isEmpty() || onValid.execution() != null;
    boolean computes =
        onValid.payload().values().stream().anyMatch(RuleDocument::isComputed)
            || !onValid.wakeUps().isEmpty()
            || onValid.waitSec() instanceof Json.Text
            || onValid.waitUntilMillis() instanceof Json.Text;
    return demands || asks || computes;
  }

  private static boolean isComputed(Json value) {
    return value instanceof Json.Text(var at, var text)
        && (RuleText.classify(text) == RuleText.Form.EXPRESSION || RuleText.placeholders(text) > 0);
  }

  public String hash() {
    return Hash.of(canonical);
  }

  /// An input. It is required if it has no default.
  ///
  /// @param fallback the default, cast; null when there is none
  public record Field(ValueType type, @Nullable Object fallback) {}

  /// A value that is computed and cast to a type.
  ///
  /// @param fallback the default, cast; null when there is none
  public record TypedValue(ValueType type, Json value, @Nullable Object fallback) {}

  /// A read of external state by a state source.
  public record Read(
      String to,
      String function,
      List<TypedValue> args,
      SortedMap<Integer, Save> saves,
      String backend) {
    public Read {
      args = List.copyOf(args);
      saves = Collections.unmodifiableSortedMap(new TreeMap<>(saves));
    }
  }

  /// The name and type of one output of a read.
  public record Save(String key, ValueType type, @Nullable Object fallback) {}

  /// An HTTP call.
  public record Call(
      String name,
      String method,
      String urlTemplate,
      String bodyTemplate,
      SortedMap<String, String> headers,
      long timeoutMillis,
      Map<String, Extract> extracts) {
    public Call {
      headers = Collections.unmodifiableSortedMap(new TreeMap<>(headers));
      extracts = Collections.unmodifiableMap(new LinkedHashMap<>(extracts));
    }

    /// The extracts, each after the extracts that it uses. Extracts that use each other in a cycle
    /// keep the order of the document.
    List<String> order() {
      List<String> order = new ArrayList<>();
      Set<String> left = new LinkedHashSet<>(extracts.keySet());
      while (!left.isEmpty()) {
        String next =
            left.stream()
                .filter(alias -> isReady(alias, left))
                .findFirst()
                .orElse(left.iterator().next());
        order.add(next);
        left.remove(next);
      }
      return order;
    }

    private boolean isReady(String alias, Set<String> left) {
      Extract extract = Objects.requireNonNull(extracts.get(alias));
      return RuleText.names(extract.value()).stream()
          .allMatch(name -> name.equals(alias) || !left.contains(name));
    }
  }

  /// A value extracted from a response.
  public record Extract(ValueType type, String value, @Nullable Object fallback, boolean save) {}

  /// A condition.
  public record Rule(String expression, Kind kind) {}

  /// The meaning of a condition.
  public enum Kind {
    /// All of these must be true for the step to be valid.
    VALIDATE,
    /// If one of these is true, the step ends without a branch.
    ABORT_STEP,
    /// If one of these is true, the session ends.
    CANCEL_SESSION
  }

  /// The branch that is taken for one outcome.
  ///
  /// @param waitSec a number, an expression, or null
  /// @param waitUntilMillis a number, an expression, or null
  public record Branch(
      Map<String, Json> payload,
      @Nullable Execution execution,
      List<Grant> grants,
      List<WakeUp> wakeUps,
      @Nullable Integer logExpireDays,
      @Nullable Json waitSec,
      @Nullable Json waitUntilMillis) {
    static final Branch EMPTY = new Branch(Map.of(), null, List.of(), List.of(), null, null, null);

    public Branch {
      payload = Collections.unmodifiableMap(new LinkedHashMap<>(payload));
      grants = List.copyOf(grants);
      wakeUps = List.copyOf(wakeUps);
    }
  }

  /// A call of an executor.
  public record Execution(
      String to,
      String function,
      List<TypedValue> args,
      @Nullable TypedValue value,
      long gasLimit,
      @Nullable Json extras) {
    public Execution {
      args = List.copyOf(args);
    }
  }

  /// The right of an address to read the step's log.
  public record Grant(String address, int rights, int expireDays) {}

  /// Wakes a waiting step of another session.
  public record WakeUp(String runner, Json sessionId, String stepId, Map<String, Json> payload) {
    public WakeUp {
      payload = Collections.unmodifiableMap(new LinkedHashMap<>(payload));
    }
  }

  /// Reads a document. Throws [Rejected] with all its errors.
  public static RuleDocument read(String text) {
    RuleReader.Result result = RuleReader.read(text);
    if (result.document() == null) {
      throw new Rejected("rule document", result.diagnostics());
    }
    return result.document();
  }
}
