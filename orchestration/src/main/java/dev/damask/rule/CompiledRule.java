package dev.damask.rule;

import dev.damask.expression.InvalidExpression;
import dev.damask.expression.RuleExpression;
import dev.damask.expression.Work;
import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.rule.EvaluationException.Hard;
import dev.damask.rule.EvaluationException.Soft;
import dev.damask.source.Limit;
import dev.damask.task.ExpressionFailure;
import dev.damask.term.StepNode;
import dev.damask.value.Context;
import dev.damask.value.StepResult;
import dev.damask.value.Values;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// A rule document whose expressions are compiled.
public final class CompiledRule {
  /// The short names under which rules read the number of the process and the step before it.
  public static final String PID = "pid";

  public static final String FROM = "from";

  /// Whether the engine sets a key, so that no read or call can.
  static boolean isEngineKey(String key) {
    return key.equals(PID) || key.equals(FROM) || key.startsWith(StepNode.RESERVED);
  }

  private static final String ALL_VARIABLES = "ctx";

  /// A key of the payload that a step receives.
  public record Input(String key, RuleDocument.Field field) {}

  /// A key of the payload that a branch produces.
  public record Output(String key, Json value) {
    public static List<Output> of(Map<String, Json> payload) {
      return payload.entrySet().stream()
          .map(entry -> new Output(entry.getKey(), entry.getValue()))
          .toList();
    }
  }

  /// A compiled expression, the form of its source, and the keys that it reads.
  private record Ready(RuleExpression expression, RuleText.Form form, List<String> names) {}

  /// The note in a trace for this rule under one key.
  private record Named(String rule, StepResult.Note note) {}

  private final RuleDocument document;
  private final String hash;
  private final Map<String, String> types;
  private final List<Input> inputs;
  private final List<Output> valid;
  private final List<Output> invalid;
  private final Map<String, Ready> expressions = new ConcurrentHashMap<>();
  private final Map<String, List<String>> orders = new ConcurrentHashMap<>();
  private final Map<String, RuleTemplate> templates = new ConcurrentHashMap<>();
  private final Map<String, RuleText.Form> classes = new ConcurrentHashMap<>();
  private volatile @Nullable Named named; // by the key that was asked for last
  private final Set<String> shortNames = new HashSet<>();
  private final boolean asksEngine;
  private final Cost cost;

  public CompiledRule(RuleDocument document) {
    this.document = document;
    this.hash = document.hash();
    this.types = document.types();
    this.inputs =
        document.payload().entrySet().stream()
            .map(entry -> new Input(entry.getKey(), entry.getValue()))
            .toList();
    this.valid = Output.of(document.onValid().payload());
    this.invalid = Output.of(document.onInvalid().payload());
    this.cost = new Cost(document);
    for (String name : List.of(PID, FROM)) {
      if (document.canonical().contains(name) || document.canonical().contains(ALL_VARIABLES)) {
        shortNames.add(name);
      }
    }
    this.asksEngine = !shortNames.isEmpty() || document.canonical().contains(StepNode.RESERVED);
  }

  /// Whether the rule may use one of the engine's short names: the name occurs in it, or the rule
  /// reads the map of all variables, in which an expression can look the name up.
  public boolean mayUse(String name) {
    return shortNames.contains(name);
  }

  /// Whether the rule may use any key of the engine.
  public boolean mayAskEngine() {
    return asksEngine;
  }

  /// The hash of the document.
  public String hash() {
    return hash;
  }

  public RuleDocument document() {
    return document;
  }

  public List<Input> inputs() {
    return inputs;
  }

  /// The payload of a branch.
  public List<Output> outputs(boolean isValid) {
    return isValid ? valid : invalid;
  }

  /// The note in a trace for an evaluation.
  ///
  /// @param rule the key of the rule in the graph
  public StepResult.Note note(String rule, String more) {
    Named known = named;
    if (known == null || !known.rule().equals(rule)) {
      String origin = JsonWriter.canonical(Map.of("rule", rule, "ruleHash", hash));
      known = new Named(rule, new StepResult.Note(origin, ""));
      named = known;
    }
    StepResult.Note note = known.note();
    return more.isEmpty() ? note : new StepResult.Note(note.origin(), more);
  }

  /// The extracts of a call, in the order of evaluation.
  public List<String> order(RuleDocument.Call call) {
    return orders.computeIfAbsent(call.name(), name -> call.order());
  }

  public Cost cost() {
    return cost;
  }

  /// The value of an expression.
  ///
  /// @param work the work of all evaluations of a step, which are limited together
  public @Nullable Object evaluate(String text, Context variables, Work work) throws Hard, Soft {
    return evaluate(compiled(text), variables, work);
  }

  private static @Nullable Object evaluate(Ready ready, Context variables, Work work)
      throws Hard, Soft {
    for (int i = 0; i < ready.names().size(); i++) {
      String name = ready.names().get(i);
      requireShortLists(name, variables.get(name));
    }
    try {
      return Values.of(ready.expression().value(variables, work));
    } catch (ExpressionFailure e) {
      if (e.isMissing()) {
        throw new Soft(String.valueOf(e.getMessage()));
      }
      throw new Hard(Hard.TX, String.valueOf(e.getMessage()));
    }
  }

  private Ready compiled(String text) throws Hard {
    Ready known = expressions.get(text);
    if (known != null) {
      return known;
    }
    int bytes = RuleText.bytes(text);
    if (!Limit.CEL_BYTES.allows(bytes)) {
      throw new Hard(Hard.COMPLEX, Limit.CEL_BYTES.breach(bytes));
    }
    try {
      RuleExpression compiled = RuleText.compile(text, types);
      Ready ready = new Ready(compiled, RuleText.classify(text), List.copyOf(compiled.names()));
      expressions.put(text, ready);
      return ready;
    } catch (InvalidExpression e) {
      String message = String.valueOf(e.getMessage());
      throw new Hard(message.contains(" nodes, found") ? Hard.COMPLEX : Hard.TX, message);
    }
  }

  /// Whether a string is not a valid expression, whatever its variables are.
  public boolean isBroken(String text) {
    try {
      compiled(text);
      return false;
    } catch (Hard e) {
      return true;
    }
  }

  private static void requireShortLists(String name, @Nullable Object value) throws Hard {
    switch (value) {
      case List<?> items -> {
        if (!Limit.LIST_SIZE.allows(items.size())) {
          throw new Hard(
              Hard.LIST_CAP, "in '" + name + "': " + Limit.LIST_SIZE.breach(items.size()));
        }
        for (Object item : items) {
          requireShortLists(name, item);
        }
      }
      case Map<?, ?> entries -> {
        for (Object entry : entries.values()) {
          requireShortLists(name, entry);
        }
      }
      case null, default -> {}
    }
  }

  /// Whether a condition is true. A condition that reads a missing value is not.
  public boolean holds(String text, Context variables, Work work) throws Hard {
    try {
      Object value = evaluate(text, variables, work);
      if (value instanceof Boolean flag) {
        return flag;
      }
      throw new Hard(
          Hard.TX, "the rule '" + text + "' returns no boolean: " + RuleFunctions.shown(value));
    } catch (Soft e) {
      return false;
    }
  }

  /// The value of a literal, a template or an expression.
  public @Nullable Object resolve(Json json, Context variables, Work work) throws Hard, Soft {
    return json instanceof Json.Text(var at, var text)
        ? resolve(text, variables, work)
        : ValueReader.literal(json) instanceof java.math.BigDecimal number
            ? (Object) number.doubleValue()
            : ValueReader.literal(json);
  }

  public @Nullable Object resolve(String text, Context variables, Work work) throws Hard, Soft {
    Ready known = expressions.get(text);
    if (known != null && known.form() == RuleText.Form.EXPRESSION) {
      return evaluate(known, variables, work);
    }
    return switch (classes.computeIfAbsent(text, RuleText::classify)) {
      case PASS -> {
        String name = text.strip();
        String key = name.substring(1, name.length() - 1);
        if (!variables.has(key)) {
          throw new Soft("there is no '" + key + "'");
        }
        yield variables.get(key);
      }
      case EXPRESSION -> evaluate(text, variables, work);
      case TEMPLATE -> {
        try {
          yield template(text, false).render(variables, value -> value);
        } catch (RuleTemplate.Missing e) {
          throw new Soft(String.valueOf(e.getMessage()));
        }
      }
    };
  }

  public RuleTemplate template(String text, boolean strict) {
    return templates.computeIfAbsent(text, key -> RuleTemplate.parse(key, strict));
  }

  /// A value cast to its type. If it cannot be computed, returns its default if it has one.
  public Object typed(RuleDocument.TypedValue value, Context variables, Work work)
      throws Hard, Soft {
    try {
      return value
          .type()
          .cast(
              value.value() instanceof Json.Text(var at, var text)
                  ? resolve(text, variables, work)
                  : ValueReader.literal(value.value()));
    } catch (Soft e) {
      if (value.fallback() != null) {
        return value.fallback();
      }
      throw e;
    } catch (ValueType.CastFailed e) {
      if (value.fallback() != null) {
        return value.fallback();
      }
      throw new Hard(Hard.TX, String.valueOf(e.getMessage()));
    }
  }
}
