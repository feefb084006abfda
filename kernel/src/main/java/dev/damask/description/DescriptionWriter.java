package dev.damask.description;

import dev.damask.task.ChildTemplate;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.Retry;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskOptions;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.TermWalker;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Encoder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// Writes the structure, names and source lines of a workflow. A term follows its parts, so that
/// neither writing nor reading recurses.
final class DescriptionWriter {
  private final Encoder out = new Encoder();

  byte[] write(WorkflowDefinition workflow) {
    out.octet(Description.FORMAT);
    out.text(workflow.name());
    out.text(workflow.version());
    out.text(workflow.description());
    word(workflow.mode());
    out.context(workflow.context());
    places(workflow.places());
    limits(workflow.limits());
    out.natural(workflow.definitions().size());
    for (Definition each : workflow.definitions()) {
      out.text(each.name());
      places(each.places());
      body(each.body());
    }
    body(workflow.body());
    if (!workflow.declared().redacted().isEmpty()) { // added later: older descriptions end here
      texts(workflow.declared().redacted());
    }
    return out.toBytes();
  }

  private void places(List<Place> places) {
    out.natural(places.size());
    for (Place each : places) {
      out.text(each.name());
      out.flag(each.external());
      word(each.lifetime());
      out.natural(each.init());
    }
  }

  private void limits(Limits limits) {
    long[] all = {
      limits.nodes(),
      limits.branches(),
      limits.callDepth(),
      limits.instances(),
      limits.openEffects(),
      limits.placeTokens(),
      limits.contextBytes(),
      limits.steps(),
      limits.bufferedBytes(),
      limits.resultBytes()
    };
    for (long each : all) {
      out.natural(each);
    }
  }

  private record Stop(Term term, boolean isWritten) {}

  /// Writes the number of terms, then the terms, each after its parts.
  private void body(Term root) {
    Deque<Stop> open = new ArrayDeque<>();
    Deque<Term> ordered = new ArrayDeque<>();
    open.push(new Stop(root, false));
    while (!open.isEmpty()) {
      Stop stop = open.pop();
      if (stop.isWritten) {
        ordered.add(stop.term);
        continue;
      }
      open.push(new Stop(stop.term, true));
      List<TermWalker.Part> parts = TermWalker.parts(stop.term);
      for (int i = parts.size() - 1; i >= 0; i--) {
        open.push(new Stop(parts.get(i).term(), false));
      }
    }
    out.natural(ordered.size());
    ordered.forEach(this::term);
  }

  private void term(Term term) {
    switch (term) {
      case Term.Task task -> task(task);
      case Term.Seq(var parts) -> {
        out.octet(Description.SEQ);
        out.natural(parts.size());
      }
      case Term.Par(var branches, var merge) -> {
        out.octet(Description.PAR);
        out.natural(branches.size());
        merge(merge);
      }
      case Term.Xor(var choices) -> {
        out.octet(Description.XOR);
        choices(choices);
      }
      case Term.Join(var policy, var branches) -> {
        out.octet(Description.JOIN);
        join(policy);
        choices(branches);
      }
      case Term.Loop(var policy, _) -> {
        out.octet(Description.LOOP);
        loop(policy);
      }
      case Term.Defer(var alternatives) -> {
        out.octet(Description.DEFER);
        out.natural(alternatives.size());
        alternatives.forEach(this::alternative);
      }
      case Term.Cancel(var name, var holding, var options, _) -> {
        out.octet(Description.CANCEL);
        out.text(name);
        texts(holding);
        scope(options);
      }
      case Term.Mi(var name, var policy, _) -> {
        out.octet(Description.MI);
        out.text(name);
        instances(policy);
      }
      case Term.Emit(var place, var payload) -> {
        out.octet(Description.EMIT);
        out.text(place);
        expressions(payload);
      }
      case Term.Kill(var name, var outcome) -> {
        out.octet(Description.KILL);
        out.text(name);
        word(outcome);
      }
      case Term.Call(var definition, var arguments, var result) -> {
        out.octet(Description.CALL);
        out.text(definition);
        out.flag(arguments != null);
        if (arguments != null) {
          expressions(arguments);
        }
        optional(result);
      }
      case Term.Graph graph -> graph(graph);
      case Term.Processes _ ->
          throw new IllegalArgumentException("process instances have no description");
    }
  }

  private void task(Term.Task task) {
    out.octet(Description.TASK);
    out.text(task.name());
    switch (task.work()) {
      case Term.Work.Pure(TaskFunction function, String text) -> {
        out.octet(Description.PURE);
        out.text(text);
        out.flag(function.isSlow());
        out.flag(function.isUndoneFromStart());
        texts(function.writtenKeys());
      }
      case Term.Work.Effect(EffectTemplate template, var handler) -> {
        boolean isChild = template instanceof ChildTemplate;
        out.octet(isChild ? Description.CHILD : Description.EFFECT);
        out.text(template instanceof ChildTemplate child ? child.workflow() : template.type());
        out.text(template.text());
        out.text(template.signature());
        out.flag(handler != null);
      }
    }
    options(task.options());
    out.flag(task.undo() != null);
  }

  private void options(TaskOptions options) {
    word(options.delivery());
    duration(options.timeout());
    Retry retry = options.retry();
    out.natural(retry.max());
    duration(retry.delay());
    out.fixed(Double.doubleToLongBits(retry.backoff()));
    out.fixed(Double.doubleToLongBits(retry.jitter()));
    word(retry.on());
    texts(retry.except());
    optional(options.result());
    out.flag(options.key() != null);
    if (options.key() != null) {
      expression(options.key());
    }
    out.value(options.cost());
    out.text(options.description());
    word(options.onExhausted());
    out.text(options.line());
  }

  private void merge(Merge merge) {
    switch (merge) {
      case Merge.Standard standard -> {
        out.octet(Description.STANDARD);
        word(standard);
      }
      case Merge.Collect(var keys) -> {
        out.octet(Description.COLLECT);
        texts(keys);
      }
      case Merge.Custom(var name, _) -> {
        out.octet(Description.CUSTOM);
        out.text(name);
      }
    }
  }

  private void join(JoinPolicy policy) {
    switch (policy.need()) {
      case JoinPolicy.Need.All() -> out.octet(Description.ALL);
      case JoinPolicy.Need.Sync() -> out.octet(Description.SYNC);
      case JoinPolicy.Need.Count(int k) -> {
        out.octet(Description.COUNT);
        out.natural(k);
      }
    }
    word(policy.rest());
    word(policy.shortage());
    merge(policy.merge());
  }

  private void choices(List<Term.Choice> choices) {
    out.natural(choices.size());
    for (Term.Choice each : choices) {
      guard(each.guard(), each.otherwise());
    }
  }

  private void guard(@Nullable Guard guard, boolean otherwise) {
    out.octet(otherwise ? Description.ELSE : guard == null ? Description.FREE : Description.GUARD);
    if (guard != null) {
      out.text(guard.text());
    }
  }

  private void loop(LoopPolicy policy) {
    switch (policy) {
      case LoopPolicy.While(var guard) -> {
        out.octet(Description.WHILE);
        out.text(guard.text());
      }
      case LoopPolicy.Until(var guard) -> {
        out.octet(Description.UNTIL);
        out.text(guard.text());
      }
      case LoopPolicy.Count(var count) -> {
        out.octet(Description.TIMES);
        expression(count);
      }
    }
  }

  private void alternative(Alternative alternative) {
    switch (alternative) {
      case Alternative.Take(var places, var external, _) -> {
        out.octet(Description.TAKE);
        texts(places);
        out.flag(external);
      }
      case Alternative.Test(var places, _) -> {
        out.octet(Description.TEST);
        texts(places);
      }
      case Alternative.After(var duration, _) -> {
        out.octet(Description.AFTER);
        duration(duration);
      }
      case Alternative.Expired _ -> out.octet(Description.EXPIRED);
    }
  }

  private void scope(ScopeOptions options) {
    duration(options.timeout());
    out.flag(options.handler() != null);
    out.flag(options.onTimeout() != null);
    out.flag(options.undo());
    out.flag(options.allow() != null);
    if (options.allow() != null) {
      texts(options.allow());
    }
    optional(options.marking());
    optional(options.listener());
  }

  private void instances(InstancePolicy policy) {
    expression(policy.count());
    out.natural(policy.min());
    out.natural(policy.max());
    word(policy.open());
    switch (policy.need()) {
      case InstancePolicy.Need.All() -> out.octet(Description.ALL);
      case InstancePolicy.Need.Count(var count) -> {
        out.octet(Description.COUNT);
        expression(count);
      }
      case InstancePolicy.Need.When(var condition) -> {
        out.octet(Description.WHEN);
        out.text(condition.text());
      }
    }
    word(policy.rest());
    optional(policy.collect());
  }

  private void graph(Term.Graph graph) {
    out.octet(Description.GRAPH);
    word(graph.mode());
    merge(graph.merge());
    split(graph.start());
    out.natural(graph.nodes().size());
    for (Node node : graph.nodes()) {
      out.text(node.id());
      nodeJoin(node.join());
      split(node.then());
    }
  }

  private void nodeJoin(Node.@Nullable Join join) {
    switch (join) {
      case null -> out.octet(Description.NONE);
      case Node.Join.And(var weights, var abort) -> {
        out.octet(Description.AND);
        out.natural(weights.size());
        weights.forEach((source, weight) -> {
          out.text(source);
          out.natural(weight);
        });
        out.flag(abort);
      }
      case Node.Join.Or(var sources, var abort) -> {
        out.octet(Description.OR);
        texts(sources);
        out.flag(abort);
      }
      case Node.Join.Blocking(int k, var sources, var abort) -> {
        out.octet(Description.BLOCKING);
        out.natural(k);
        texts(sources);
        out.flag(abort);
      }
      case Node.Join.Cancelling(int k, var sources, var cancel, var abort) -> {
        out.octet(Description.CANCELLING);
        out.natural(k);
        texts(sources);
        texts(cancel);
        out.flag(abort);
      }
    }
  }

  private void split(Split split) {
    switch (split) {
      case Split.To(var target) -> {
        out.octet(Description.TO);
        out.text(target);
      }
      case Split.And(var targets) -> {
        out.octet(Description.AND);
        texts(targets);
      }
      case Split.Xor(var arcs) -> {
        out.octet(Description.XOR);
        arcs(arcs);
      }
      case Split.Or(var arcs) -> {
        out.octet(Description.OR);
        arcs(arcs);
      }
      case Split.Copies(int count, var target) -> {
        out.octet(Description.COPIES);
        out.natural(count);
        out.text(target);
      }
    }
  }

  private void arcs(List<Split.Arc> arcs) {
    out.natural(arcs.size());
    for (Split.Arc each : arcs) {
      guard(each.guard(), each.otherwise());
      out.text(each.target());
    }
  }

  private void expressions(SortedMap<String, Expression> all) {
    out.natural(all.size());
    all.forEach((key, value) -> {
      out.text(key);
      expression(value);
    });
  }

  private void expression(Expression expression) {
    out.text(expression.text());
    boolean isLiteral = expression.parts().isLiteral();
    out.flag(isLiteral);
    if (isLiteral) {
      out.value(expression.parts().constants().getFirst());
    }
  }

  private void duration(@Nullable Duration duration) {
    optional(duration == null ? null : duration.toString());
  }

  private void optional(@Nullable String text) {
    out.flag(text != null);
    if (text != null) {
      out.text(text);
    }
  }

  private void texts(Collection<String> texts) {
    out.natural(texts.size());
    texts.forEach(out::text);
  }

  private void word(Enum<?> constant) {
    out.text(constant.name());
  }
}
