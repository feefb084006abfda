package dev.damask.description;

import dev.damask.task.Delivery;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Merge;
import dev.damask.term.Mode;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads what [DescriptionWriter] writes. A term takes its parts from those that were read before.
final class DescriptionReader {
  private final Decoder in;
  private Deque<Term> read = new ArrayDeque<>();

  DescriptionReader(byte[] bytes) {
    this.in = new Decoder(bytes);
  }

  WorkflowDefinition read() {
    int format = in.octet();
    if (format != Description.FORMAT) {
      throw in.damaged("a description of format " + format);
    }
    String name = in.text();
    String version = in.text();
    String description = in.text();
    Mode mode = word(Mode.class);
    Context context = in.context();
    List<Place> places = many(this::place);
    Limits limits = limits();
    List<Definition> definitions = many(() -> new Definition(in.text(), many(this::place), body()));
    WorkflowDefinition workflow =
        new WorkflowDefinition(
            name, version, description, mode, context, places, definitions, limits, body());
    List<String> redacted = in.atEnd() ? List.of() : many(in::text);
    in.requireEnd();
    return workflow.withDeclared(
        workflow.declared().withRedacted(redacted.toArray(String[]::new)).asDescription());
  }

  private Place place() {
    return new Place(in.text(), in.flag(), word(Place.Lifetime.class), number());
  }

  private Limits limits() {
    return new Limits(
        number(),
        number(),
        number(),
        number(),
        number(),
        number(),
        number(),
        in.natural(),
        number(),
        number());
  }

  private Term body() {
    read = new ArrayDeque<>();
    for (int left = in.count(); left > 0; left--) {
      read.push(term());
    }
    if (read.size() != 1) {
      throw in.damaged("a body of " + read.size() + " terms");
    }
    return read.pop();
  }

  private Term part() {
    if (read.isEmpty()) {
      throw in.damaged("a term without its parts");
    }
    return read.pop();
  }

  private List<Term> parts(int count) {
    List<Term> parts = new ArrayList<>();
    for (int left = count; left > 0; left--) {
      parts.add(part());
    }
    return parts.reversed();
  }

  private Term term() {
    int kind = in.octet();
    return switch (kind) {
      case Description.TASK -> task();
      case Description.SEQ -> new Term.Seq(parts(number()));
      case Description.PAR -> new Term.Par(parts(number()), merge());
      case Description.XOR -> new Term.Xor(choices());
      case Description.JOIN -> new Term.Join(join(), choices());
      case Description.LOOP -> new Term.Loop(loop(), part());
      case Description.DEFER -> defer();
      case Description.CANCEL -> cancel();
      case Description.MI -> new Term.Mi(in.text(), instances(), part());
      case Description.EMIT -> new Term.Emit(in.text(), expressions());
      case Description.KILL -> new Term.Kill(in.text(), word(Term.Kill.Outcome.class));
      case Description.CALL ->
          new Term.Call(in.text(), in.flag() ? expressions() : null, optional());
      case Description.GRAPH -> graph();
      default -> throw in.damaged("a term of kind " + kind);
    };
  }

  private Term.Task task() {
    String name = in.text();
    Term.Work work = work(in.octet());
    TaskOptions options = options();
    return new Term.Task(name, work, options, in.flag() ? part() : null);
  }

  private Term.Work work(int kind) {
    String first = in.text();
    return switch (kind) {
      case Description.PURE ->
          new Term.Work.Pure(
              new OpaqueLeaf.Function(first, in.flag(), in.flag(), many(in::text)), first);
      case Description.EFFECT -> {
        OpaqueLeaf.Request request = new OpaqueLeaf.Request(first, in.text(), in.text());
        yield new Term.Work.Effect(
            request, in.flag() ? new OpaqueLeaf.Handler(request.text()) : null);
      }
      case Description.CHILD -> {
        OpaqueLeaf.Child child = new OpaqueLeaf.Child(first, in.text(), in.text());
        yield new Term.Work.Effect(child, in.flag() ? new OpaqueLeaf.Handler(child.text()) : null);
      }
      default -> throw in.damaged("the work of a task of kind " + kind);
    };
  }

  private TaskOptions options() {
    Delivery delivery = word(Delivery.class);
    Duration timeout = duration();
    Retry retry =
        new Retry(
            number(),
            present(duration()),
            Double.longBitsToDouble(in.fixed()),
            Double.longBitsToDouble(in.fixed()),
            word(Retry.On.class),
            many(in::text));
    String result = optional();
    Expression key = in.flag() ? expression() : null;
    if (!(in.value() instanceof Number cost)) {
      throw in.damaged("a cost that is not a number");
    }
    return new TaskOptions(
        delivery,
        timeout,
        retry,
        result,
        key,
        new BigDecimal(cost.toString()),
        in.text(),
        word(OnExhausted.class),
        in.text());
  }

  private Merge merge() {
    int kind = in.octet();
    return switch (kind) {
      case Description.STANDARD -> word(Merge.Standard.class);
      case Description.COLLECT -> new Merge.Collect(many(in::text));
      case Description.CUSTOM -> {
        String name = in.text();
        yield new Merge.Custom(name, new OpaqueLeaf.Merging(name));
      }
      default -> throw in.damaged("a merge of kind " + kind);
    };
  }

  private JoinPolicy join() {
    int kind = in.octet();
    JoinPolicy.Need need =
        switch (kind) {
          case Description.ALL -> new JoinPolicy.Need.All();
          case Description.SYNC -> new JoinPolicy.Need.Sync();
          case Description.COUNT -> new JoinPolicy.Need.Count(number());
          default -> throw in.damaged("a need of kind " + kind);
        };
    return new JoinPolicy(
        need, word(JoinPolicy.Rest.class), word(JoinPolicy.Shortage.class), merge());
  }

  private record Guarded(@Nullable Guard guard, boolean otherwise) {}

  private Guarded guarded() {
    int kind = in.octet();
    return switch (kind) {
      case Description.FREE -> new Guarded(null, false);
      case Description.ELSE -> new Guarded(null, true);
      case Description.GUARD -> new Guarded(guard(), false);
      default -> throw in.damaged("a branch of kind " + kind);
    };
  }

  private Guard guard() {
    return new OpaqueLeaf.Condition(in.text());
  }

  private List<Term.Choice> choices() {
    List<Guarded> guards = many(this::guarded);
    List<Term> bodies = parts(guards.size());
    List<Term.Choice> choices = new ArrayList<>();
    for (Term body : bodies) {
      Guarded each = guards.get(choices.size());
      choices.add(new Term.Choice(each.guard, each.otherwise, body));
    }
    return choices;
  }

  private LoopPolicy loop() {
    int kind = in.octet();
    return switch (kind) {
      case Description.WHILE -> new LoopPolicy.While(guard());
      case Description.UNTIL -> new LoopPolicy.Until(guard());
      case Description.TIMES -> new LoopPolicy.Count(expression());
      default -> throw in.damaged("a loop of kind " + kind);
    };
  }

  private Term defer() {
    List<Term> bodies = parts(in.count());
    List<Alternative> alternatives = new ArrayList<>();
    for (Term body : bodies) {
      alternatives.add(alternative(body));
    }
    return new Term.Defer(alternatives);
  }

  private Alternative alternative(Term then) {
    int kind = in.octet();
    return switch (kind) {
      case Description.TAKE -> new Alternative.Take(many(in::text), in.flag(), then);
      case Description.TEST -> new Alternative.Test(many(in::text), then);
      case Description.AFTER -> new Alternative.After(present(duration()), then);
      case Description.EXPIRED -> new Alternative.Expired(then);
      default -> throw in.damaged("an alternative of kind " + kind);
    };
  }

  private Term cancel() {
    String name = in.text();
    List<String> holding = many(in::text);
    Duration timeout = duration();
    boolean hasHandler = in.flag();
    boolean hasOnTimeout = in.flag();
    boolean undo = in.flag();
    List<String> allow = in.flag() ? many(in::text) : null;
    String marking = optional();
    String listener = optional();
    Term onTimeout = hasOnTimeout ? part() : null; // the parts come in reverse order
    Term handler = hasHandler ? part() : null;
    ScopeOptions options =
        new ScopeOptions(timeout, onTimeout, handler, undo, allow, marking, listener);
    return new Term.Cancel(name, holding, options, part());
  }

  private InstancePolicy instances() {
    Expression count = expression();
    int min = number();
    int max = number();
    InstancePolicy.Open open = word(InstancePolicy.Open.class);
    int kind = in.octet();
    InstancePolicy.Need need =
        switch (kind) {
          case Description.ALL -> new InstancePolicy.Need.All();
          case Description.COUNT -> new InstancePolicy.Need.Count(expression());
          case Description.WHEN -> new InstancePolicy.Need.When(new OpaqueLeaf.Enough(in.text()));
          default -> throw in.damaged("a need of kind " + kind);
        };
    return new InstancePolicy(count, min, max, open, need, word(JoinPolicy.Rest.class), optional());
  }

  private Term graph() {
    Mode mode = word(Mode.class);
    Merge merge = merge();
    Split start = split();
    record Head(String id, Node.@Nullable Join join, Split then) {}
    List<Head> heads = many(() -> new Head(in.text(), nodeJoin(), split()));
    List<Node> nodes = new ArrayList<>();
    for (Term body : parts(heads.size())) {
      Head head = heads.get(nodes.size());
      nodes.add(new Node(head.id, head.join, body, head.then));
    }
    return new Term.Graph(mode, merge, start, nodes);
  }

  private Node.@Nullable Join nodeJoin() {
    int kind = in.octet();
    return switch (kind) {
      case Description.NONE -> null;
      case Description.AND -> {
        Map<String, Integer> weights = new LinkedHashMap<>();
        for (int left = in.count(); left > 0; left--) {
          weights.put(in.text(), number());
        }
        yield new Node.Join.And(weights, in.flag());
      }
      case Description.OR -> new Node.Join.Or(many(in::text), in.flag());
      case Description.BLOCKING -> new Node.Join.Blocking(number(), many(in::text), in.flag());
      case Description.CANCELLING ->
          new Node.Join.Cancelling(number(), many(in::text), many(in::text), in.flag());
      default -> throw in.damaged("a join of kind " + kind);
    };
  }

  private Split split() {
    int kind = in.octet();
    return switch (kind) {
      case Description.TO -> new Split.To(in.text());
      case Description.AND -> new Split.And(many(in::text));
      case Description.XOR -> new Split.Xor(many(this::arc));
      case Description.OR -> new Split.Or(many(this::arc));
      case Description.COPIES -> new Split.Copies(number(), in.text());
      default -> throw in.damaged("a split of kind " + kind);
    };
  }

  private Split.Arc arc() {
    Guarded guarded = guarded();
    return new Split.Arc(guarded.guard, guarded.otherwise, in.text());
  }

  private SortedMap<String, Expression> expressions() {
    SortedMap<String, Expression> all = new TreeMap<>();
    for (int left = in.count(); left > 0; left--) {
      all.put(in.text(), expression());
    }
    return all;
  }

  private Expression expression() {
    String text = in.text();
    return in.flag() ? Expression.constant(text, in.value()) : new OpaqueLeaf.Value(text);
  }

  private @Nullable Duration duration() {
    String text = optional();
    try {
      return text == null ? null : Duration.parse(text);
    } catch (DateTimeException e) {
      throw in.damaged("the duration '" + text + "'");
    }
  }

  private Duration present(@Nullable Duration duration) {
    if (duration == null) {
      throw in.damaged("a missing duration");
    }
    return duration;
  }

  private @Nullable String optional() {
    return in.flag() ? in.text() : null;
  }

  private int number() {
    long number = in.natural();
    if (number > Integer.MAX_VALUE) {
      throw in.damaged("the number " + number);
    }
    return (int) number;
  }

  private <T> List<T> many(Supplier<T> one) {
    List<T> all = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      all.add(one.get());
    }
    return all;
  }

  private <E extends Enum<E>> E word(Class<E> type) {
    return Enum.valueOf(type, in.text());
  }
}
