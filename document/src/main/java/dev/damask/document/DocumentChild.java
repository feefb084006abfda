package dev.damask.document;

import dev.damask.json.JsonWriter;
import dev.damask.task.ChildTemplate;
import dev.damask.task.Expression;
import dev.damask.task.TaskOptions;
import dev.damask.term.Term;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// The request of a document's task that starts a child case.
///
/// @param id the id of the child; null if the engine derives one
/// @param with the input of the child; null if it starts with the context of the task
/// @param isDetached whether the task does not wait for the child
record DocumentChild(
    String workflow,
    @Nullable Expression id,
    @Nullable SortedMap<String, Expression> with,
    boolean isDetached)
    implements ChildTemplate {
  /// Creates the task. Its name is that of the workflow.
  static Term task(FieldReader fields) {
    String workflow = fields.text("child");
    DocumentChild template =
        new DocumentChild(
            workflow,
            fields.expressionOrNull("id"),
            fields.has("with") ? fields.expressions("with") : null,
            fields.flag("detached"));
    TaskOptions options = TaskOptions.DEFAULT.withDescription(fields.text("description"));
    String result = fields.textOrNull("result");
    options = result == null ? options : options.withResult(result);
    return new Term.Task(workflow, new Term.Work.Effect(template, null), options, null);
  }

  @Override
  public SortedMap<String, Expression> arguments() {
    return with == null ? Collections.emptySortedMap() : with;
  }

  @Override
  public EffectSpec specFor(Context context) {
    Context payload = Context.of(WORKFLOW, workflow);
    if (id != null) {
      payload = payload.with(ID, id.value(context));
    }
    if (with != null) {
      Map<String, @Nullable Object> input = new LinkedHashMap<>();
      with.forEach((key, expression) -> input.put(key, expression.value(context)));
      payload = payload.with(INPUT, input);
    }
    return new EffectSpec(TYPE, isDetached ? payload.with(DETACHED, true) : payload, null);
  }

  @Override
  public String text() {
    Map<String, @Nullable Object> parts = new LinkedHashMap<>(Map.of(WORKFLOW, workflow));
    if (id != null) {
      parts.put(ID, id.text());
    }
    if (with != null) {
      Map<String, @Nullable Object> input = new LinkedHashMap<>();
      with.forEach((key, expression) -> input.put(key, expression.text()));
      parts.put(INPUT, input);
    }
    if (isDetached) {
      parts.put(DETACHED, true);
    }
    return TYPE + JsonWriter.canonical(parts);
  }

  /// The expressions that the task evaluates.
  List<Expression> expressions() {
    List<Expression> all = new ArrayList<>();
    if (id != null) {
      all.add(id);
    }
    if (with != null) {
      all.addAll(with.values());
    }
    return all;
  }
}
