package dev.damask.term;

import dev.damask.task.EffectFunction;
import dev.damask.task.EffectTemplate;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskFunction;
import dev.damask.task.TaskOptions;
import dev.damask.value.Context;
import dev.damask.value.EffectSpec;
import dev.damask.value.TaskResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The static factories of workflows: `import static dev.damask.term.Flow.*`.
public final class Flow {
  private static final SortedMap<String, Expression> NO_PAYLOAD =
      Collections.unmodifiableSortedMap(new TreeMap<>());

  private static final SourceLine LINE =
      new SourceLine(List.of(Flow.class.getName(), Term.class.getName()));

  private Flow() {}

  /// Creates a workflow whose parts run in order. Places named by `on` are declared external, and
  /// if a task has an undo, the whole body is a scope that undoes.
  public static WorkflowDefinition workflow(String name, Term... parts) {
    Term body = seq(parts);
    TreeSet<String> external = new TreeSet<>();
    boolean[] undoes = {false};
    TermWalker.walk(
        TermPath.BODY,
        body,
        (path, term) -> {
          undoes[0] |= term instanceof Term.Task task && task.undo() != null;
          if (term instanceof Term.Defer(var alternatives)) {
            for (Alternative alternative : alternatives) {
              if (alternative instanceof Alternative.Take take && take.external()) {
                external.addAll(take.places());
              }
            }
          }
        });
    if (undoes[0]
        && !(body instanceof Term.Cancel(var n, var h, var options, var b) && options.undo())) {
      body = new Term.Cancel(name, List.of(), ScopeOptions.undoing(), body);
    }
    List<Place> places = external.stream().map(Place::external).toList();
    return new WorkflowDefinition(
        name, "", "", Mode.IMPLICIT, Context.empty(), places, List.of(), Limits.DEFAULT, body);
  }

  /// Creates a task that runs inside the machine.
  public static Term.Task task(String name, TaskFunction function) {
    return new Term.Task(name, new Term.Work.Pure(function, name), written(), null);
  }

  /// Creates a task that a handler registered under its name performs, or an external system.
  public static Term.Task effect(String name) {
    return effect(name, context -> EffectSpec.of(name), null);
  }

  /// Creates a task that a plain method performs as an effect.
  public static Term.Task effect(String name, EffectFunction handler) {
    return effect(name, context -> EffectSpec.of(name), handler);
  }

  /// Creates a task whose request a template creates from the context.
  ///
  /// @param handler null when the handler is registered under the type of the request
  public static Term.Task effect(
      String name, EffectTemplate template, @Nullable EffectFunction handler) {
    return new Term.Task(name, new Term.Work.Effect(template, handler), written(), null);
  }

  /// The options of a task that the caller of a factory writes.
  private static TaskOptions written() {
    return TaskOptions.DEFAULT.withLine(LINE.caller());
  }

  /// Creates an unnamed task that writes one key.
  public static Term.Task set(String key, Expression value) {
    String text = key + ":=" + value.text();
    Term.Work work = new Term.Work.Pure(new Setting(key, value), text);
    return new Term.Task("", work, TaskOptions.DEFAULT, null);
  }

  private record Setting(String key, Expression value) implements TaskFunction {
    @Override
    public TaskResult run(Context context) {
      return context.with(key, value.value(context));
    }

    @Override
    public List<String> writtenKeys() {
      return List.of(key);
    }

    @Override
    public TaskFunction folded() {
      return new Setting(key, value.folded());
    }
  }

  /// Does nothing.
  public static Term.Task skip() {
    return new Term.Task(
        "", new Term.Work.Pure(context -> context, "skip"), TaskOptions.DEFAULT, null);
  }

  /// Fails with a reason.
  public static Term.Task fail(String reason) {
    TaskFunction function = context -> new TaskResult.Failed(reason);
    return new Term.Task(
        "", new Term.Work.Pure(function, "fail " + reason), TaskOptions.DEFAULT, null);
  }

  /// Runs the parts in order.
  public static Term seq(Term... parts) {
    return parts.length == 1 ? parts[0] : new Term.Seq(List.of(parts));
  }

  /// Runs all branches and waits for all of them.
  public static Term par(Term... branches) {
    return new Term.Par(List.of(branches), Merge.Standard.LAST);
  }

  /// Takes the first branch whose guard is true.
  public static Term xor(Term.Choice... choices) {
    return new Term.Xor(List.of(choices));
  }

  /// Leaves the choice to the scheduler.
  public static Term anyOf(Term... branches) {
    return new Term.Xor(Arrays.stream(branches).map(Flow::always).toList());
  }

  /// Creates a branch that is taken if its guard is true.
  public static Term.Choice when(Guard guard, Term then) {
    return new Term.Choice(guard, false, then);
  }

  /// Creates the branch that is taken if no guard is true.
  public static Term.Choice otherwise(Term then) {
    return new Term.Choice(null, true, then);
  }

  /// Creates a branch without a guard.
  public static Term.Choice always(Term then) {
    return new Term.Choice(null, false, then);
  }

  /// Starts every branch and continues when the policy is met.
  public static Term join(JoinPolicy policy, Term... branches) {
    return new Term.Join(policy, Arrays.stream(branches).map(Flow::always).toList());
  }

  /// Starts the branches whose guards are true and continues when the policy is met.
  public static Term join(JoinPolicy policy, Term.Choice... branches) {
    return new Term.Join(policy, List.of(branches));
  }

  /// Repeats the body while the guard is true; the guard is tested before each round.
  public static Term repeatWhile(Guard guard, Term body) {
    return new Term.Loop(new LoopPolicy.While(guard), body);
  }

  /// Repeats the body until the guard is true; the guard is tested after each round.
  public static Term repeatUntil(Guard guard, Term body) {
    return new Term.Loop(new LoopPolicy.Until(guard), body);
  }

  /// Repeats the body a number of times.
  public static Term repeat(long count, Term body) {
    return repeat(Expression.constant(count), body);
  }

  /// Repeats the body as often as an expression specifies; it is evaluated once on entry.
  public static Term repeat(Expression count, Term body) {
    return new Term.Loop(new LoopPolicy.Count(count), body);
  }

  /// Waits for the first alternative that is enabled.
  public static Term defer(Alternative... alternatives) {
    return new Term.Defer(List.of(alternatives));
  }

  /// Creates an alternative that a signal enables; declares its place external and persistent.
  public static Alternative on(String place, Term then) {
    return new Alternative.Take(List.of(place), true, then);
  }

  /// Creates an alternative that takes one token of a declared place.
  public static Alternative taking(String place, Term then) {
    return new Alternative.Take(List.of(place), false, then);
  }

  /// Creates an alternative that takes one token of each of several places at once.
  public static Alternative takingAll(List<String> places, Term then) {
    return new Alternative.Take(places, false, then);
  }

  /// Creates an alternative that is enabled while a place holds a token, which stays there.
  public static Alternative testing(String place, Term then) {
    return new Alternative.Test(List.of(place), then);
  }

  /// Creates an alternative that is taken when a time has passed since the wait began.
  public static Alternative after(Duration duration, Term then) {
    return new Alternative.After(duration, then);
  }

  /// Creates the alternative that is taken when no other can be enabled any more.
  public static Alternative expired(Term then) {
    return new Alternative.Expired(then);
  }

  /// Waits for one token of a place.
  public static Term take(String place) {
    return defer(taking(place, skip()));
  }

  /// A scope that can be cancelled by its name.
  public static Term scope(String name, Term... parts) {
    return scope(name, ScopeOptions.NONE, parts);
  }

  /// Creates a scope with options.
  public static Term scope(String name, ScopeOptions options, Term... parts) {
    return new Term.Cancel(name, List.of(), options, seq(parts));
  }

  /// A scope that runs only while it owns one token of the place.
  public static Term holding(String name, String place, Term... parts) {
    return new Term.Cancel(name, List.of(place), ScopeOptions.NONE, seq(parts));
  }

  /// A scope of the place's name that marks the place exactly while it is open.
  public static Term milestone(String place, Term... parts) {
    return new Term.Cancel(place, List.of(), ScopeOptions.NONE.marking(place), seq(parts));
  }

  /// Runs a term if a milestone is open or becomes open; does nothing when it no longer can.
  public static Term during(String place, Term then) {
    return during(place, then, skip());
  }

  /// Runs a term if a milestone is open or becomes open, else another.
  public static Term during(String place, Term then, Term otherwise) {
    return defer(testing(place, then), expired(otherwise));
  }

  /// Runs the body once per instance.
  public static Term instances(String name, InstancePolicy policy, Term... parts) {
    return new Term.Mi(name, policy, seq(parts));
  }

  /// Puts one token on a place.
  public static Term emit(String place) {
    return new Term.Emit(place, NO_PAYLOAD);
  }

  /// Puts one token with a payload on a place.
  public static Term emit(String place, SortedMap<String, Expression> payload) {
    return new Term.Emit(place, payload);
  }

  /// Cancels every open activation of a scope, a set of instances, or `case`.
  public static Term kill(String name) {
    return new Term.Kill(name, Term.Kill.Outcome.WITHDRAW);
  }

  /// Ends every open activation as if it had completed.
  public static Term complete(String name) {
    return new Term.Kill(name, Term.Kill.Outcome.COMPLETE);
  }

  /// Ends the innermost open activation of a scope around this token, or the case, as complete,
  /// with this token's context. A set of instances fires with the results it has.
  public static Term breakOut(String name) {
    return new Term.Kill(name, Term.Kill.Outcome.BREAK);
  }

  /// Runs a definition.
  public static Term.Call call(String definition) {
    return new Term.Call(definition);
  }

  /// Creates a definition without places, which `call` runs.
  public static Definition definition(String name, Term... parts) {
    return new Definition(name, List.of(), seq(parts));
  }

  /// A net of nodes that ends when nothing is left in it.
  public static Term graph(Split start, Node... nodes) {
    return new Term.Graph(Mode.IMPLICIT, Merge.Standard.NEWEST, start, List.of(nodes));
  }

  /// A net of nodes that ends with the first token at its end.
  public static Term graphUntilFirst(Split start, Node... nodes) {
    return new Term.Graph(Mode.EXPLICIT, Merge.Standard.NEWEST, start, List.of(nodes));
  }

  /// Creates a node that runs its body for every arriving token.
  public static Node node(String id, Term body, Split then) {
    return new Node(id, null, body, then);
  }

  /// Creates a node with a join.
  public static Node node(String id, Node.Join join, Term body, Split then) {
    return new Node(id, join, body, then);
  }

  /// Sends the token to one target.
  public static Split to(String target) {
    return new Split.To(target);
  }

  /// Sends one token to every target.
  public static Split toAll(String... targets) {
    return new Split.And(List.of(targets));
  }

  /// Sends the token along the first arc whose guard is true.
  public static Split toFirst(Split.Arc... arcs) {
    return new Split.Xor(List.of(arcs));
  }

  /// Sends one token along every arc whose guard is true.
  public static Split toEach(Split.Arc... arcs) {
    return new Split.Or(List.of(arcs));
  }

  /// Creates an arc with a guard.
  public static Split.Arc arc(Guard guard, String target) {
    return new Split.Arc(guard, false, target);
  }

  /// Creates the arc that is taken if no guard is true.
  public static Split.Arc otherwiseTo(String target) {
    return new Split.Arc(null, true, target);
  }

  /// Returns a retry policy with a delay that doubles.
  public static Retry exponential(int max) {
    return Retry.exponential(max);
  }

  /// Returns the option that makes a task an incident when its attempts are used up:
  /// `effect("charge", shop::charge).retry(exponential(5)).onExhausted(park())`.
  public static OnExhausted park() {
    return OnExhausted.PARK;
  }

  /// Returns the same policy, but only for attempts whose handler states that nothing was sent. The
  /// only retry that an at-most-once effect may have.
  public static Retry ifNotSent(int max) {
    return Retry.exponential(max).onNotSent();
  }
}
