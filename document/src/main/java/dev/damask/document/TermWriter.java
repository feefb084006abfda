package dev.damask.document;

import dev.damask.document.DocumentWriter.NotWritable;
import dev.damask.task.Delivery;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Alternative;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Split;
import dev.damask.term.Term;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// Writes terms as trees of maps and lists.
final class TermWriter {
  Object write(Term term) {
    return switch (term) {
      case Term.Task task -> task(task);
      case Term.Seq(var parts) -> map("seq", all(parts));
      case Term.Par(var branches, var merge) -> {
        Map<String, @Nullable Object> map = map("par", all(branches));
        putMerge(map, merge);
        yield map;
      }
      case Term.Xor(var choices) -> map("xor", choices.stream().map(this::choice).toList());
      case Term.Join(var policy, var branches) -> {
        Map<String, @Nullable Object> map = map("join", policy(policy));
        map.put("branches", branches.stream().map(this::choice).toList());
        yield map;
      }
      case Term.Loop(var policy, var body) -> with(map("loop", policy(policy)), "do", body);
      case Term.Defer(var alternatives) ->
          map("defer", alternatives.stream().map(this::alternative).toList());
      case Term.Cancel cancel -> cancel(cancel);
      case Term.Mi(var name, var policy, var body) -> with(instances(name, policy), "do", body);
      case Term.Emit(var place, var payload) -> {
        Map<String, @Nullable Object> map = map("emit", place);
        if (!payload.isEmpty()) {
          map.put("with", expressions(payload));
        }
        yield map;
      }
      case Term.Kill(var name, var outcome) -> {
        boolean breaks = outcome == Term.Kill.Outcome.BREAK;
        Map<String, @Nullable Object> map = map(breaks ? "break" : "kill", name);
        if (outcome == Term.Kill.Outcome.COMPLETE) {
          map.put("as", "complete");
        }
        yield map;
      }
      case Term.Call(var definition, var arguments, var result) -> {
        Map<String, @Nullable Object> map = map("call", definition);
        if (arguments != null) {
          map.put("with", expressions(arguments));
        }
        if (result != null) {
          map.put("result", result);
        }
        yield map;
      }
      case Term.Graph graph -> map("graph", graph(graph));
      case Term.Processes processes ->
          throw new IllegalArgumentException(
              "process instances cannot be written as a workflow; write a graph document");
    };
  }

  private static Map<String, @Nullable Object> map(String key, @Nullable Object value) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put(key, value);
    return map;
  }

  private Map<String, @Nullable Object> with(
      Map<String, @Nullable Object> map, String key, @Nullable Term term) {
    if (term != null) {
      map.put(key, write(term));
    }
    return map;
  }

  private List<Object> all(List<Term> terms) {
    return terms.stream().map(this::write).toList();
  }

  private static Map<String, @Nullable Object> expressions(SortedMap<String, Expression> all) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    all.forEach((key, expression) -> map.put(key, DocumentWriter.text(expression)));
    return map;
  }

  private static String guard(Guard guard) {
    return DocumentWriter.written(guard.text());
  }

  private static void putMerge(Map<String, @Nullable Object> map, Merge merge) {
    if (merge instanceof Merge.Custom(var name, var function)) {
      throw new NotWritable("the merge function " + name + " cannot be written in a document");
    }
    if (merge instanceof Merge.Collect(var keys)) {
      map.put("merge", Map.of("collect", keys));
    } else if (merge != Merge.Standard.LAST && merge != Merge.Standard.NEWEST) {
      map.put("merge", merge.text());
    }
  }

  private Map<String, @Nullable Object> choice(Term.Choice choice) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    if (choice.guard() != null) {
      map.put("when", guard(choice.guard()));
    }
    return with(map, choice.otherwise() ? "else" : "do", choice.then());
  }

  private static Map<String, @Nullable Object> child(DocumentChild child, Term.Task task) {
    Map<String, @Nullable Object> map = map("child", child.workflow());
    if (child.id() != null) {
      map.put("id", DocumentWriter.text(child.id()));
    }
    if (child.with() != null) {
      map.put("with", expressions(child.with()));
    }
    if (child.isDetached()) {
      map.put("detached", true);
    }
    options(map, task.options());
    return map;
  }

  private Map<String, @Nullable Object> task(Term.Task task) {
    if (task.work() instanceof Term.Work.Effect(DocumentChild child, _)) {
      return child(child, task);
    }
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    if (!task.name().isEmpty()) {
      map.put("task", task.name());
    }
    switch (task.work()) {
      case Term.Work.Pure(var function, var text) -> {
        if (function instanceof PureWork.Writer writer) {
          map.put("set", expressions(writer.writes()));
        } else if (function instanceof PureWork.Failing(var reason)) {
          map.put("fail", reason);
        } else if (text.equals("skip") && task.name().isEmpty()) {
          map.put("skip", true);
        } else {
          throw new NotWritable(
              "the function of task '" + task.name() + "' cannot be written in a document");
        }
      }
      case Term.Work.Effect(var template, var handler) -> {
        if (!(template instanceof TaskReader.DocumentEffect effect) || handler != null) {
          throw new NotWritable(
              "the effect of task '" + task.name() + "' cannot be written in a document");
        }
        Map<String, @Nullable Object> asked = new LinkedHashMap<>();
        if (!effect.type().equals(task.name())) {
          asked.put("type", effect.type());
        }
        if (effect.source() != null) {
          asked.put("with", effect.source());
        }
        if (!asked.isEmpty()) {
          map.put("effect", asked);
        }
        if (effect.output() != InputSchema.NONE) {
          map.put("output", effect.output().value());
        }
      }
    }
    options(map, task.options());
    return with(map, "undo", task.undo());
  }

  private static String word(Delivery delivery) {
    return switch (delivery) {
      case KEYED -> "keyed";
      case AT_MOST_ONCE -> "atMostOnce";
      case READ -> "read";
      case EXACTLY_ONCE -> "exactlyOnce";
    };
  }

  private static void options(Map<String, @Nullable Object> map, TaskOptions options) {
    if (options.delivery() != Delivery.KEYED) {
      map.put("delivery", word(options.delivery()));
    }
    if (options.timeout() != null) {
      map.put("timeout", options.timeout().toString());
    }
    if (options.retry() != Retry.NONE) {
      Retry retry = options.retry();
      Map<String, @Nullable Object> tries = map("max", (long) retry.max());
      tries.put("delay", retry.delay().toString());
      tries.put("backoff", retry.backoff());
      tries.put("jitter", retry.jitter());
      if (retry.on() == Retry.On.NOT_SENT) {
        tries.put("on", "notSent");
      }
      if (!retry.except().isEmpty()) {
        tries.put("except", List.copyOf(retry.except()));
      }
      map.put("retry", tries);
    }
    if (options.onExhausted() == OnExhausted.PARK) {
      map.put("onExhausted", "park");
    }
    if (options.result() != null) {
      map.put("result", options.result());
    }
    if (options.key() != null) {
      map.put("key", DocumentWriter.text(options.key()));
    }
    if (options.cost().signum() != 0) {
      map.put("cost", options.cost());
    }
    if (!options.description().isEmpty()) {
      map.put("description", options.description());
    }
  }

  private static Map<String, @Nullable Object> policy(JoinPolicy policy) {
    Map<String, @Nullable Object> map =
        map(
            "need",
            switch (policy.need()) {
              case JoinPolicy.Need.All all -> "all";
              case JoinPolicy.Need.Sync sync -> "sync";
              case JoinPolicy.Need.Count(var k) -> (long) k;
            });
    map.put("rest", policy.rest().name().toLowerCase(Locale.ROOT));
    map.put("short", policy.shortage().name().toLowerCase(Locale.ROOT));
    putMerge(map, policy.merge());
    return map;
  }

  private static Map<String, @Nullable Object> policy(LoopPolicy policy) {
    return switch (policy) {
      case LoopPolicy.While(var guard) -> map("while", guard(guard));
      case LoopPolicy.Until(var guard) -> map("until", guard(guard));
      case LoopPolicy.Count(var count) -> map("count", DocumentWriter.text(count));
    };
  }

  private Map<String, @Nullable Object> alternative(Alternative alternative) {
    return switch (alternative) {
      case Alternative.Take(var places, var external, var then) ->
          with(map("take", places), "do", then);
      case Alternative.Test(var places, var then) -> with(map("test", places), "do", then);
      case Alternative.After(var time, var then) -> with(map("after", time.toString()), "do", then);
      case Alternative.Expired(var then) -> map("expired", write(then));
    };
  }

  private Map<String, @Nullable Object> cancel(Term.Cancel cancel) {
    ScopeOptions options = cancel.options();
    if (cancel.holding().isEmpty() && options.equals(ScopeOptions.NONE.marking(cancel.name()))) {
      return with(map("milestone", cancel.name()), "do", cancel.body());
    }
    Map<String, @Nullable Object> map = map("cancel", cancel.name());
    if (options.marking() != null) {
      map.put("marking", options.marking());
    }
    if (!cancel.holding().isEmpty()) {
      map.put("holding", cancel.holding());
    }
    if (options.timeout() != null) {
      map.put("timeout", options.timeout().toString());
    }
    with(map, "onTimeout", options.onTimeout());
    with(map, "catch", options.handler());
    if (options.undo()) {
      map.put("undo", true);
    }
    if (options.allow() != null) {
      map.put("allow", options.allow());
    }
    if (options.listener() != null) {
      map.put("notify", options.listener());
    }
    return with(map, "do", cancel.body());
  }

  private static Map<String, @Nullable Object> instances(String name, InstancePolicy policy) {
    Map<String, @Nullable Object> map = map("mi", name);
    map.put("count", DocumentWriter.text(policy.count()));
    if (policy.min() > 0) {
      map.put("min", (long) policy.min());
    }
    if (policy.max() < Integer.MAX_VALUE) {
      map.put("max", (long) policy.max());
    }
    if (policy.isOpen()) {
      map.put("open", policy.open() == InstancePolicy.Open.YES ? true : "untilClosed");
    }
    switch (policy.need()) {
      case InstancePolicy.Need.All all -> {}
      case InstancePolicy.Need.Count(var count) -> map.put("need", DocumentWriter.text(count));
      case InstancePolicy.Need.When(var condition) ->
          map.put("need", DocumentWriter.written(condition.text()));
    }
    if (policy.rest() == JoinPolicy.Rest.CANCEL) {
      map.put("rest", "cancel");
    }
    if (policy.collect() != null) {
      map.put("collect", policy.collect());
    }
    return map;
  }

  private Map<String, @Nullable Object> graph(Term.Graph graph) {
    Map<String, @Nullable Object> map = map("start", split(graph.start()));
    if (graph.mode() == Mode.EXPLICIT) {
      map.put("mode", "explicit");
    }
    putMerge(map, graph.merge());
    Map<String, @Nullable Object> nodes = new LinkedHashMap<>();
    for (Node node : graph.nodes()) {
      Map<String, @Nullable Object> one = with(new LinkedHashMap<>(), "do", node.body());
      if (node.join() != null) {
        one.put("join", join(node.join()));
      }
      one.put("then", split(node.then()));
      nodes.put(node.id(), one);
    }
    map.put("nodes", nodes);
    return map;
  }

  private static Object split(Split split) {
    return switch (split) {
      case Split.To(var target) -> target;
      case Split.And(var targets) -> map("and", targets);
      case Split.Xor(var arcs) -> map("xor", arcs.stream().map(TermWriter::arc).toList());
      case Split.Or(var arcs) -> map("or", arcs.stream().map(TermWriter::arc).toList());
      case Split.Copies(var count, var target) -> {
        Map<String, @Nullable Object> map = map("copies", (long) count);
        map.put("to", target);
        yield map;
      }
    };
  }

  private static Map<String, @Nullable Object> arc(Split.Arc arc) {
    Map<String, @Nullable Object> map = map(arc.otherwise() ? "else" : "to", arc.target());
    if (arc.guard() != null) {
      map.put("when", guard(arc.guard()));
    }
    return map;
  }

  private static Map<String, @Nullable Object> join(Node.Join join) {
    Map<String, @Nullable Object> map =
        switch (join) {
          case Node.Join.And(var weights, var abort) -> map("and", weights);
          case Node.Join.Or(var sources, var abort) -> map("or", sources);
          case Node.Join.Blocking(var k, var sources, var abort) -> {
            Map<String, @Nullable Object> kof = map("kof", (long) k);
            kof.put("from", sources);
            kof.put("block", true);
            yield kof;
          }
          case Node.Join.Cancelling(var k, var sources, var cancel, var abort) -> {
            Map<String, @Nullable Object> kof = map("kof", (long) k);
            kof.put("from", sources);
            kof.put("cancel", cancel);
            yield kof;
          }
        };
    if (join.abort()) {
      map.put("short", "abort");
    }
    return map;
  }
}
