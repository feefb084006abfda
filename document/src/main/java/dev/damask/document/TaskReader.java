package dev.damask.document;

import dev.damask.json.Json;
import dev.damask.json.JsonWriter;
import dev.damask.task.Delivery;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.OnExhausted;
import dev.damask.task.ResultCheck;
import dev.damask.task.Retry;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// Creates tasks: effects, and pure tasks that write keys.
final class TaskReader {
  /// The keys that only an effect can have.
  private static final List<String> EFFECT_KEYS =
      List.of("effect", "key", "delivery", "timeout", "retry", "onExhausted", "result", "output");

  private final TermReader terms;
  private final Map<String, TaskFunction> functions;

  TaskReader(TermReader terms, Map<String, TaskFunction> functions) {
    this.terms = terms;
    this.functions = functions;
  }

  Term task(FieldReader fields) {
    String name = fields.text("task");
    TaskFunction function = functions.get(name);
    if (fields.has("set")) {
      return pure(name, writer(fields.expressions("set")), fields);
    }
    if (function != null && !fields.has("effect")) {
      return pure(name, new Term.Work.Pure(function, name), fields);
    }
    Term.Work work = new Term.Work.Effect(template(name, fields), null);
    return new Term.Task(name, work, options(fields), terms.readOrNull(fields, "undo"));
  }

  /// Creates a pure task without a name.
  Term set(FieldReader fields) {
    return pure("", writer(fields.expressions("set")), fields);
  }

  private Term pure(String name, Term.Work.Pure work, FieldReader fields) {
    for (String key : EFFECT_KEYS) {
      if (fields.has(key)) {
        throw fields.problem(key, "'" + key + "' is allowed only in an effect; this task is pure");
      }
    }
    return new Term.Task(name, work, options(fields), terms.readOrNull(fields, "undo"));
  }

  private static Term.Work.Pure writer(SortedMap<String, Expression> expressions) {
    PureWork.Writer writer = new PureWork.Writer(expressions);
    return new Term.Work.Pure(writer, writer.text());
  }

  private static EffectTemplate template(String name, FieldReader fields) {
    FieldReader effect = fields.objectOrEmpty("effect");
    String type = effect.text("type", name);
    if (type.isBlank()) {
      throw fields.problem("effect", "an effect must have a type");
    }
    Json with = effect.node("with");
    InputSchema output =
        WorkflowReader.schema(fields, "output", fields.path().then(".output"), "the result");
    if (with == null) {
      EffectSpec spec = EffectSpec.of(type);
      return new DocumentEffect(
          type, effect.has("type"), new Template.Entries(Map.of()), null, spec, output);
    }
    Template template = effect.make(with, effect.path().then(".with"), () -> Template.of(with));
    Template.Entries entries = (Template.Entries) template;
    EffectSpec spec =
        entries.isConstant()
            ? new EffectSpec(type, Context.from(entries.fill(Context.empty())), null)
            : null;
    Object source = FieldReader.value(with);
    return new DocumentEffect(type, effect.has("type"), entries, source, spec, output);
  }

  /// The effect request of a document's task.
  ///
  /// @param isTyped whether the document specifies the type; otherwise it is the name of the task
  /// @param source the payload as written; null if there is none
  /// @param fixed the request itself if it does not depend on the context; otherwise null
  /// @param output what results from outside must be; not a part of the program
  record DocumentEffect(
      String type,
      boolean isTyped,
      Template.Entries with,
      @Nullable Object source,
      @Nullable EffectSpec fixed,
      InputSchema output)
      implements EffectTemplate, ResultCheck {
    @Override
    public EffectSpec specFor(Context context) {
      return fixed != null ? fixed : new EffectSpec(type, Context.from(with.fill(context)), null);
    }

    @Override
    public List<String> problems(Context result) {
      return output.problems(result);
    }

    @Override
    public String text() {
      return source == null ? type : type + JsonWriter.canonical(source);
    }
  }

  private static TaskOptions options(FieldReader fields) {
    Delivery delivery =
        switch (fields.text("delivery", "keyed")) {
          case "atMostOnce" -> Delivery.AT_MOST_ONCE;
          case "read" -> Delivery.READ;
          case "exactlyOnce" -> Delivery.EXACTLY_ONCE;
          default -> Delivery.KEYED;
        };
    return new TaskOptions(
        delivery,
        fields.duration("timeout"),
        retry(fields),
        fields.textOrNull("result"),
        fields.expressionOrNull("key"),
        fields.decimal("cost"),
        fields.text("description"),
        fields.text("onExhausted", "fail").equals("park") ? OnExhausted.PARK : OnExhausted.FAIL,
        "");
  }

  private static Retry retry(FieldReader fields) {
    if (!fields.has("retry")) {
      return Retry.NONE;
    }
    FieldReader retry = fields.object("retry");
    Duration delay = retry.duration("delay");
    return retry.make(() ->
        new Retry(
            retry.whole("max", 1),
            delay == null ? Duration.ZERO : delay,
            retry.number("backoff", 2.0),
            retry.number("jitter", 0.0),
            retry.has("on") ? Retry.On.NOT_SENT : Retry.On.ANY,
            retry.names("except")));
  }
}
