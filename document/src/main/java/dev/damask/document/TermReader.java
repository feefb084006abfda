package dev.damask.document;

import dev.damask.document.FieldReader.Entry;
import dev.damask.expression.Expressions;
import dev.damask.json.Json;
import dev.damask.json.Json.Fields;
import dev.damask.json.Json.Items;
import dev.damask.json.Json.Numeral;
import dev.damask.json.Json.Text;
import dev.damask.json.Position;
import dev.damask.task.Expression;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskOptions;
import dev.damask.term.Alternative;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.LoopPolicy;
import dev.damask.term.Merge;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Creates terms from a tree that fits the grammar and records their positions.
final class TermReader {
  private static final Set<String> INSTANCE_NAMES = Set.of("done", "total", "results");

  private final Diagnostics diagnostics;
  private final Map<String, Position> positions;
  private final TaskReader tasks;
  private final GraphReader graphs = new GraphReader(this);
  private final int nodesMax;
  private int nodes;

  TermReader(
      Diagnostics diagnostics,
      Map<String, TaskFunction> functions,
      Map<String, Position> positions,
      int nodesMax) {
    this.diagnostics = diagnostics;
    this.nodesMax = nodesMax;
    this.positions = positions;
    this.tasks = new TaskReader(this, functions);
  }

  Term read(Json node, TermPath path) {
    count(node, path);
    if (node instanceof Items items) {
      return new Term.Seq(all(items, path, ""));
    }
    FieldReader fields = new FieldReader(diagnostics, (Fields) node, path);
    return fields.make(() -> term(fields));
  }

  private void count(Json node, TermPath path) {
    if (++nodes > nodesMax) {
      throw diagnostics.problem(
          path,
          node,
          "a workflow must have at most " + nodesMax + " nodes; this one exceeds the limit");
    }
    positions.put(path.toString(), node.at());
  }

  Term read(Entry entry) {
    return read(entry.node(), entry.path());
  }

  @Nullable Term readOrNull(FieldReader fields, String key) {
    Json node = fields.node(key);
    return node == null ? null : read(node, fields.path().then("." + key));
  }

  private Term body(FieldReader fields) {
    return read(fields.require("do"), fields.path().then(".do"));
  }

  private List<Term> all(Items items, TermPath path, String step) {
    List<Term> terms = new ArrayList<>();
    for (int i = 0; i < items.items().size(); i++) {
      terms.add(read(items.items().get(i), path.then(step + "[" + i + "]")));
    }
    return terms;
  }

  private static String leadingKey(FieldReader fields) {
    if (fields.has("task")) {
      return "task";
    }
    for (String key : Grammar.TERMS.keySet()) {
      if (fields.has(key)) {
        return key;
      }
    }
    throw new IllegalStateException("the grammar accepted a term without a leading key");
  }

  private Term term(FieldReader fields) {
    String key = leadingKey(fields);
    return switch (key) {
      case "task" -> tasks.task(fields);
      case "set" -> tasks.set(fields);
      case "skip" -> Flow.skip();
      case "fail" -> fail(fields.text("fail"));
      case "seq" -> new Term.Seq(all((Items) fields.require("seq"), fields.path(), ""));
      case "par" ->
          new Term.Par(
              all((Items) fields.require("par"), fields.path(), ".par"), merge(fields, "last"));
      case "xor" -> new Term.Xor(fields.list("xor", entry -> choice(fields.object(entry))));
      case "join" -> join(fields);
      case "loop" -> loop(fields);
      case "defer" -> new Term.Defer(fields.list("defer", e -> alternative(fields.object(e))));
      case "take" -> take(fields);
      case "cancel" -> cancel(fields);
      case "mi" -> instances(fields);
      case "emit" -> new Term.Emit(fields.text("emit"), fields.expressions("with"));
      case "kill" ->
          fields.has("as") ? Flow.complete(fields.text("kill")) : Flow.kill(fields.text("kill"));
      case "break" -> Flow.breakOut(fields.text("break"));
      case "milestone" -> Flow.milestone(fields.text("milestone"), body(fields));
      case "during" -> during(fields);
      case "call" ->
          new Term.Call(
              fields.text("call"),
              fields.has("with") ? fields.expressions("with") : null,
              fields.textOrNull("result"));
      case "child" -> DocumentChild.task(fields);
      case "graph" -> graphs.graph(fields.object("graph"));
      default -> throw new IllegalStateException("no reader for " + key);
    };
  }

  private static Term fail(String reason) {
    Term.Work work = new Term.Work.Pure(new PureWork.Failing(reason), "fail " + reason);
    return new Term.Task("", work, TaskOptions.DEFAULT, null);
  }

  static Merge merge(FieldReader fields, String absent) {
    if (fields.node("merge") instanceof Fields) {
      return new Merge.Collect(fields.object("merge").names("collect"));
    }
    return Merge.Standard.valueOf(fields.text("merge", absent).toUpperCase(Locale.ROOT));
  }

  private Term.Choice choice(FieldReader fields) {
    if (fields.has("else")) {
      if (fields.has("when")) {
        throw fields.problem("when", "'else' must not have a condition");
      }
      return new Term.Choice(null, true, read(fields.require("else"), fields.path()));
    }
    Term then = read(fields.require("do"), fields.path());
    return new Term.Choice(fields.has("when") ? fields.guard("when") : null, false, then);
  }

  private Term join(FieldReader fields) {
    List<Term.Choice> branches =
        fields.list(
            "branches",
            entry ->
                entry.node() instanceof Fields branch && !GrammarCheck.hasLeadingKey(branch)
                    ? choice(fields.object(entry))
                    : new Term.Choice(null, false, read(entry)));
    return new Term.Join(policy(fields.object("join"), branches.size()), branches);
  }

  private static JoinPolicy policy(FieldReader fields, int branches) {
    JoinPolicy named = named(fields, branches);
    if (fields.has("policy") && (fields.has("need") || fields.has("rest"))) {
      throw fields.problem("policy", "'policy' determines 'need' and 'rest'; remove them");
    }
    JoinPolicy.Need need =
        switch (fields.node("need")) {
          case Numeral numeral -> new JoinPolicy.Need.Count(numeral.number().intValue());
          case Text(var at, var word) when word.equals("sync") -> new JoinPolicy.Need.Sync();
          case Text any -> new JoinPolicy.Need.All();
          case null, default -> named.need();
        };
    JoinPolicy.Shortage usual =
        need instanceof JoinPolicy.Need.Sync
            ? JoinPolicy.Shortage.SHRINK
            : JoinPolicy.Shortage.ABORT;
    String shortage = fields.text("short", usual.name());
    return new JoinPolicy(
        need,
        rest(fields, named.rest()),
        JoinPolicy.Shortage.valueOf(shortage.toUpperCase(Locale.ROOT)),
        merge(fields, "last"));
  }

  private static JoinPolicy.Rest rest(FieldReader fields, JoinPolicy.Rest absent) {
    return JoinPolicy.Rest.valueOf(fields.text("rest", absent.name()).toUpperCase(Locale.ROOT));
  }

  private static JoinPolicy named(FieldReader fields, int branches) {
    if (fields.node("policy") instanceof Fields) {
      FieldReader policy = fields.object("policy");
      if (policy.has("first_n")) {
        return JoinPolicy.firstN(policy.whole("first_n", 1));
      }
      List<Integer> counts = policy.list("n_of_m", e -> ((Numeral) e.node()).number().intValue());
      if (counts.size() != 2 || counts.get(1) != branches) {
        throw policy.problem(
            "n_of_m",
            "expected [n, m], where m is the number of branches, "
                + branches
                + ", found "
                + counts);
      }
      return JoinPolicy.firstN(counts.getFirst());
    }
    return switch (fields.text("policy", "all")) {
      case "sync_merge" -> JoinPolicy.syncMerge();
      case "first_complete" -> JoinPolicy.firstComplete();
      default -> JoinPolicy.all();
    };
  }

  private Term loop(FieldReader fields) {
    FieldReader policy = fields.object("loop");
    LoopPolicy when =
        policy.has("while")
            ? new LoopPolicy.While(policy.guard("while"))
            : policy.has("until")
                ? new LoopPolicy.Until(policy.guard("until"))
                : new LoopPolicy.Count(policy.expression("count"));
    return new Term.Loop(when, body(fields));
  }

  private Alternative alternative(FieldReader fields) {
    if (fields.has("expired")) {
      if (fields.has("do")) {
        throw fields.problem("do", "'expired' contains the body; remove 'do'");
      }
      return new Alternative.Expired(read(fields.require("expired"), fields.path()));
    }
    Json then = fields.node("do");
    Term body = then == null ? noted(fields.fields(), fields.path()) : read(then, fields.path());
    return fields.make(() -> {
      if (fields.has("take")) {
        return new Alternative.Take(fields.names("take"), false, body);
      }
      return fields.has("test")
          ? new Alternative.Test(fields.names("test"), body)
          : new Alternative.After(Objects.requireNonNull(fields.duration("after")), body);
    });
  }

  /// Returns an implicit term, which does nothing.
  Term noted(Json node, TermPath path) {
    count(node, path);
    return Flow.skip();
  }

  private Term take(FieldReader fields) {
    Term skip = noted(fields.fields(), fields.path().then(".defer[0]"));
    return new Term.Defer(List.of(new Alternative.Take(fields.names("take"), false, skip)));
  }

  /// Reads `during`, which is short for a wait. Its parts get the paths of that wait.
  private Term during(FieldReader fields) {
    Term then = read(fields.require("do"), fields.path().then(".defer[0]"));
    TermPath path = fields.path().then(".defer[1]");
    Json otherwise = fields.node("else");
    Term expired = otherwise == null ? noted(fields.fields(), path) : read(otherwise, path);
    return Flow.during(fields.text("during"), then, expired);
  }

  private Term cancel(FieldReader fields) {
    Duration timeout = fields.duration("timeout");
    Term body = body(fields);
    ScopeOptions options =
        new ScopeOptions(
            timeout,
            readOrNull(fields, "onTimeout"),
            readOrNull(fields, "catch"),
            fields.flag("undo"),
            fields.has("allow") ? fields.names("allow") : null,
            fields.textOrNull("marking"),
            fields.textOrNull("notify"));
    return new Term.Cancel(fields.text("cancel"), fields.names("holding"), options, body);
  }

  private Term instances(FieldReader fields) {
    InstancePolicy policy =
        new InstancePolicy(
            fields.expression("count"),
            fields.whole("min", 0),
            fields.whole("max", Integer.MAX_VALUE),
            open(fields),
            need(fields),
            rest(fields, JoinPolicy.Rest.DRAIN),
            fields.textOrNull("collect"));
    return new Term.Mi(fields.text("mi"), policy, body(fields));
  }

  private static InstancePolicy.Open open(FieldReader fields) {
    if (fields.node("open") instanceof Text) {
      return InstancePolicy.Open.UNTIL_CLOSED;
    }
    return fields.flag("open") ? InstancePolicy.Open.YES : InstancePolicy.Open.NO;
  }

  /// Reads `all`, a number that is evaluated on entry, or a condition on the instances.
  private static InstancePolicy.Need need(FieldReader fields) {
    return switch (fields.node("need")) {
      case null -> new InstancePolicy.Need.All();
      case Text(var at, var text) when text.equals("all") -> new InstancePolicy.Need.All();
      case Text node when isCondition(fields, node) ->
          new InstancePolicy.Need.When(
              fields.make(
                  node, fields.path().then(".need"), () -> Expressions.condition(node.value())));
      case Text any -> new InstancePolicy.Need.Count(fields.expression("need"));
      case Numeral numeral when numeral.whole().orElse(-1) >= 0 ->
          new InstancePolicy.Need.Count(Expression.constant(numeral.number()));
      default ->
          throw fields.problem(
              "need",
              "expected all, a number or a condition, found "
                  + Expected.shown(fields.require("need")));
    };
  }

  private static boolean isCondition(FieldReader fields, Text node) {
    Set<String> names =
        fields.make(node, fields.path().then(".need"), () -> Expressions.names(node.value()));
    return names.stream().anyMatch(INSTANCE_NAMES::contains);
  }
}
