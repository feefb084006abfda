package dev.damask.drawing;

import static dev.damask.term.Flow.after;
import static dev.damask.term.Flow.arc;
import static dev.damask.term.Flow.breakOut;
import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.complete;
import static dev.damask.term.Flow.defer;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.during;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.emit;
import static dev.damask.term.Flow.expired;
import static dev.damask.term.Flow.fail;
import static dev.damask.term.Flow.kill;
import static dev.damask.term.Flow.milestone;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.otherwiseTo;
import static dev.damask.term.Flow.repeat;
import static dev.damask.term.Flow.repeatUntil;
import static dev.damask.term.Flow.repeatWhile;
import static dev.damask.term.Flow.set;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.testing;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;

import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.term.Alternative;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Makes workflows of every form from a seed. They are meant to be drawn, not to be run.
final class RandomWorkflows {
  private static final String LETTERS = "abcdefgh ijklm-nopqrstuvwxyz&<WM";

  private final Random random;
  private int tasks;

  private RandomWorkflows(long seed) {
    this.random = new Random(seed);
  }

  static WorkflowDefinition of(long seed) {
    return new RandomWorkflows(seed).any(seed);
  }

  private WorkflowDefinition any(long seed) {
    Term body = term(1 + (int) (seed % 4));
    return workflow("w" + seed, body).withDefinitions(definition("F", term(1)));
  }

  private Term term(int depth) {
    if (depth == 0) {
      return leaf();
    }
    return switch (random.nextInt(15)) {
      case 0, 1 -> new Term.Seq(some(1, 4, () -> term(depth - 1)));
      case 2 -> new Term.Par(some(2, 4, () -> term(depth - 1)), merge());
      case 3 -> new Term.Xor(choices(depth));
      case 4 -> new Term.Join(JoinPolicy.syncMerge(), choices(depth));
      case 5 ->
          new Term.Join(
              JoinPolicy.firstN(1),
              some(1, 3, () -> new Term.Choice(null, false, term(depth - 1))));
      case 6 -> loop(term(depth - 1));
      case 7 -> defer(alternatives(depth).toArray(Alternative[]::new));
      case 8, 9 -> scope(depth);
      case 10 -> new Term.Mi(name(), instances(), term(depth - 1));
      case 11 -> graph(depth);
      case 12 -> milestone(name(), term(depth - 1));
      case 13 -> during(name(), term(depth - 1), random.nextBoolean() ? skip() : term(depth - 1));
      default -> effect(taskName()).undo(term(depth - 1));
    };
  }

  private Term leaf() {
    return switch (random.nextInt(12)) {
      case 0 -> task(taskName(), context -> context);
      case 1 -> set("k", text());
      case 2 -> random.nextBoolean() ? skip() : fail("because " + name());
      case 3 -> emit(name());
      case 4 -> random.nextBoolean() ? kill(name()) : complete("case");
      case 5 -> call("F");
      case 6 -> effect(taskName()).undo(effect(taskName())).timeout(Duration.ofSeconds(90));
      case 7 -> breakOut(random.nextBoolean() ? name() : "case");
      case 8 -> emit(name() + (random.nextBoolean() ? ".close" : ".add"));
      default -> effect(taskName());
    };
  }

  private Merge merge() {
    return switch (random.nextInt(3)) {
      case 0 -> Merge.collect("k", name());
      case 1 -> Merge.Standard.COLLECT;
      default -> Merge.Standard.FIRST;
    };
  }

  private Term loop(Term body) {
    return switch (random.nextInt(3)) {
      case 0 -> repeatWhile(guard(), body);
      case 1 -> repeatUntil(guard(), body);
      default -> repeat(text(), body);
    };
  }

  private List<Term.Choice> choices(int depth) {
    List<Term.Choice> choices = some(1, 3, () -> when(guard(), term(depth - 1)));
    if (random.nextBoolean()) {
      choices.add(otherwise(term(depth - 1)));
    }
    return choices;
  }

  private List<Alternative> alternatives(int depth) {
    List<Alternative> all = some(1, 3, () -> on(name(), term(depth - 1)));
    if (random.nextBoolean()) {
      all.add(after(Duration.ofMinutes(random.nextInt(10_000)), term(depth - 1)));
    }
    if (random.nextBoolean()) {
      all.add(testing(name(), skip()));
      all.add(expired(leaf()));
    }
    return all;
  }

  private Term scope(int depth) {
    boolean isTimed = random.nextBoolean();
    ScopeOptions options =
        new ScopeOptions(
            isTimed ? Duration.ofSeconds(10) : null,
            isTimed && random.nextBoolean() ? term(depth - 1) : null,
            random.nextBoolean() ? term(depth - 1) : null,
            random.nextBoolean(),
            random.nextBoolean() ? null : List.of("http"),
            random.nextInt(4) == 0 ? name() : null);
    List<String> held = random.nextBoolean() ? List.of() : List.of("x", "y");
    return new Term.Cancel(name(), held, options, term(depth - 1));
  }

  private InstancePolicy instances() {
    InstancePolicy policy = InstancePolicy.of(text());
    return switch (random.nextInt(3)) {
      case 0 -> policy;
      case 1 -> policy.openUntilClosed();
      default -> policy.need(2).rest(JoinPolicy.Rest.CANCEL).opened().between(1, 5).collect("k");
    };
  }

  private Term graph(int depth) {
    int count = 1 + random.nextInt(7);
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Term body = random.nextInt(4) == 0 ? term(depth - 1) : leaf();
      nodes.add(new Node("n" + i, join(count), body, split(count)));
    }
    Mode mode = random.nextBoolean() ? Mode.IMPLICIT : Mode.EXPLICIT;
    return new Term.Graph(mode, Merge.Standard.NEWEST, split(count), nodes);
  }

  private Node.@Nullable Join join(int count) {
    Map<String, Integer> weights = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      if (random.nextBoolean()) {
        weights.put("n" + i, 1 + random.nextInt(3));
      }
    }
    weights.putIfAbsent("n0", 1);
    List<String> sources = List.copyOf(weights.keySet());
    return switch (random.nextInt(7)) {
      case 0 -> new Node.Join.And(weights, false);
      case 1 -> new Node.Join.Or(sources, true);
      case 2 -> new Node.Join.Blocking(1, sources, false);
      case 3 -> new Node.Join.Cancelling(1, sources, List.of("n0"), false);
      default -> null;
    };
  }

  private Split split(int count) {
    return switch (random.nextInt(5)) {
      case 0 -> new Split.And(some(2, 3, () -> target(count)));
      case 1 -> new Split.Xor(some(1, 3, () -> arc(guard(), target(count))));
      case 2 -> {
        List<Split.Arc> arcs = some(1, 3, () -> arc(guard(), target(count)));
        arcs.add(otherwiseTo(target(count)));
        yield new Split.Or(arcs);
      }
      case 3 -> new Split.Copies(2, target(count));
      default -> new Split.To(target(count));
    };
  }

  private String target(int count) {
    return random.nextInt(4) == 0 ? "end" : "n" + random.nextInt(count + 1);
  }

  private String taskName() {
    return "t" + tasks++ + "." + name();
  }

  private String name() {
    StringBuilder name = new StringBuilder("x");
    int length = random.nextInt(12);
    for (int i = 0; i < length; i++) {
      name.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return name.toString();
  }

  private Guard guard() {
    return Guard.named(name() + " == " + name().repeat(random.nextInt(5)), context -> true);
  }

  private Expression text() {
    return Expression.named(name(), context -> 1);
  }

  private <T> List<T> some(int least, int most, Supplier<T> maker) {
    int count = least + random.nextInt(most - least + 1);
    List<T> list = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      list.add(maker.get());
    }
    return list;
  }
}
