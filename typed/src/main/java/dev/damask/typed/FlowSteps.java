package dev.damask.typed;

import dev.damask.task.Expression;
import dev.damask.task.OnExhausted;
import dev.damask.task.Retry;
import dev.damask.task.TaskFunction;
import dev.damask.term.Alternative;
import dev.damask.term.Definition;
import dev.damask.term.Flow;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Node;
import dev.damask.term.Signal;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.value.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// The steps that direct the flow of control. Every function has a name, which stands for it in the
/// program hash.
public abstract sealed class FlowSteps extends ChoiceSteps permits EffectSteps {
  FlowSteps() {}

  /// Does nothing.
  public static Step skip() {
    return Flow::skip;
  }

  /// Fails with a reason.
  public static Step fail(String reason) {
    Term term = Flow.fail(reason).with(Written.here());
    return () -> term;
  }

  /// Runs the parts in order.
  public static Step seq(Step... parts) {
    Term term = body(parts);
    return () -> term;
  }

  /// Runs all branches and waits for all of them.
  public static ParallelStep par(Step... branches) {
    return ParallelStep.of(branches);
  }

  /// Starts every branch and continues when the policy is met.
  public static Step join(JoinPolicy policy, Step... branches) {
    Term term = Flow.join(policy, terms(branches));
    return () -> term;
  }

  /// Starts the branches whose conditions are true and continues when the policy is met.
  public static Step join(JoinPolicy policy, Term.Choice... branches) {
    Term term = Flow.join(policy, branches);
    return () -> term;
  }

  /// Takes the first branch whose condition is true.
  public static Step xor(Term.Choice... choices) {
    Term term = Flow.xor(choices);
    return () -> term;
  }

  /// Leaves the choice to the scheduler.
  public static Step anyOf(Step... branches) {
    Term term = Flow.anyOf(terms(branches));
    return () -> term;
  }

  /// A branch that is always selected.
  public static Term.Choice always(Step... then) {
    return Flow.always(body(then));
  }

  /// The branch that is taken when no condition is true; without parts it does nothing.
  public static Term.Choice otherwise(Step... then) {
    return Flow.otherwise(body(then));
  }

  /// Repeats the parts a fixed number of times.
  public static Step repeat(long count, Step... parts) {
    Term term = Flow.repeat(count, body(parts));
    return () -> term;
  }

  /// Repeats the parts as often as a key specifies, read once on entry.
  public static Step repeat(Key<? extends Number> count, Step... parts) {
    Term term = Flow.repeat(count(count), body(parts));
    return () -> term;
  }

  static Expression count(Key<? extends Number> key) {
    BoundKey<? extends Number> bound = BoundKey.of(key);
    return new TypedExpression(List.of(bound), context -> bound.read(context).longValue());
  }

  /// Waits for the first alternative that is enabled.
  public static Step defer(Alternative... alternatives) {
    Term term = Flow.defer(alternatives);
    return () -> term;
  }

  /// A signal from outside. Its payload is under [Signal#payload] afterwards.
  public static Alternative on(Signal<?> signal, Step... then) {
    return Flow.on(signal.name(), received(signal, then));
  }

  private static Term received(Signal<?> signal, Step... then) {
    return signal.isEmpty() ? body(then) : Flow.seq(Receiving.of(signal), body(then));
  }

  /// One token of a place that the workflow declares.
  public static Alternative taking(Signal<?> place, Step... then) {
    return Flow.taking(place.name(), received(place, then));
  }

  /// One token of each of several places at once.
  public static Alternative takingAll(List<Signal<?>> places, Step... then) {
    List<Term> parts = new ArrayList<>();
    places.stream().filter(each -> !each.isEmpty()).map(Receiving::of).forEach(parts::add);
    parts.add(body(then));
    List<String> names = places.stream().map(Signal::name).toList();
    return Flow.takingAll(names, Flow.seq(parts.toArray(new Term[0])));
  }

  /// A place holds a token, which stays there.
  public static Alternative testing(String place, Step... then) {
    return Flow.testing(place, body(then));
  }

  /// A time has passed since the wait began.
  public static Alternative after(Duration duration, Step... then) {
    return Flow.after(duration, body(then));
  }

  /// No place alternative can be enabled any more.
  public static Alternative expired(Step... then) {
    return Flow.expired(body(then));
  }

  /// Waits for one token of a place and continues.
  public static Step take(Signal<?> place) {
    return defer(taking(place));
  }

  /// Puts a token without a payload on a place.
  public static Step emit(Signal<Void> place) {
    return () -> Flow.emit(place.name());
  }

  /// Puts a token on a place, with the value of a key as its payload.
  public static <T> Step emit(Signal<T> place, Key<? extends T> value) {
    BoundKey<? extends T> from = BoundKey.of(value);
    BoundKey<T> to = BoundKey.toWrite(place.payload());
    TreeMap<String, Expression> payload = new TreeMap<>();
    payload.put(
        to.entry(), new TypedExpression(List.of(from), context -> to.encode(from.read(context))));
    return () -> Flow.emit(place.name(), payload);
  }

  /// A scope that can be cancelled by its name, timed, undone, and made to handle failures.
  public static ScopeStep scope(String name, Step... parts) {
    return ScopeStep.of(name, body(parts));
  }

  /// A scope that runs only while it owns one token of the place.
  public static Step holding(String name, String place, Step... parts) {
    Term term = Flow.holding(name, place, body(parts));
    return () -> term;
  }

  /// A scope of the place's name that marks the place exactly while it is open.
  public static Step milestone(String place, Step... parts) {
    Term term = Flow.milestone(place, body(parts));
    return () -> term;
  }

  /// Runs a step if a milestone is open or becomes open; does nothing when it no longer can.
  public static Step during(String place, Step then) {
    return during(place, then, skip());
  }

  /// Runs a step if a milestone is open or becomes open, else another.
  public static Step during(String place, Step then, Step otherwise) {
    Term term = Flow.during(place, then.term(), otherwise.term());
    return () -> term;
  }

  /// Runs the parts once per item of a list, at the same time; `item` holds the item.
  public static <T> EachStep each(Key<List<T>> items, Key<T> item, Step... parts) {
    return EachStep.of(items, item, body(parts));
  }

  /// Runs the parts a fixed number of times, at the same time.
  public static EachStep instances(String name, int count, Step... parts) {
    return EachStep.of(name, Expression.constant(count), body(parts));
  }

  /// Runs the parts as often as a key specifies, at the same time.
  public static EachStep instances(String name, Key<? extends Number> count, Step... parts) {
    return EachStep.of(name, count(count), body(parts));
  }

  /// Cancels every open activation of a scope, a set of instances, or `case`.
  public static Step kill(String name) {
    return () -> Flow.kill(name);
  }

  /// Ends every open activation as if it had completed.
  public static Step complete(String name) {
    return () -> Flow.complete(name);
  }

  /// Ends the innermost activation of a scope around this step as complete.
  public static Step breakOut(String name) {
    return () -> Flow.breakOut(name);
  }

  /// Adds an instance without an item to an open set.
  public static Step addInstance(String instances) {
    return () -> Flow.emit(instances + ".add");
  }

  /// Adds an instance with an item to an open set.
  public static <T> Step addInstance(String instances, Key<T> item) {
    BoundKey<T> from = BoundKey.of(item);
    TreeMap<String, Expression> payload = new TreeMap<>();
    payload.put(
        "item", new TypedExpression(List.of(from), context -> from.encode(from.read(context))));
    return () -> Flow.emit(instances + ".add", payload);
  }

  /// Allows no further instances.
  public static Step closeInstances(String instances) {
    return () -> Flow.emit(instances + ".close");
  }

  /// Runs a definition of the workflow, with the keys that are there.
  public static Step call(String definition) {
    return () -> Flow.call(definition);
  }

  /// Runs the definition of a routine with the value of a key and takes its result: `call(PAY,
  /// ORDER).as(PAYMENT)`.
  public static <A, R> CallStep<R> call(Routine<A, R> routine, Key<? extends A> argument) {
    return CallStep.of(routine, argument);
  }

  /// A named body for [#call(String)]. It starts with the keys of its caller, and what it writes
  /// stays.
  public static Definition definition(String name, Step... parts) {
    return definition(name, body(parts));
  }

  /// The body of a routine for [#call(Routine, Key)]. It starts with the argument alone and writes
  /// the result on every path.
  public static Definition definition(Routine<?, ?> routine, Step... parts) {
    return definition(routine.name(), CallStep.body(routine, body(parts)));
  }

  private static Definition definition(String name, Term body) {
    return new Definition(name, List.copyOf(EachStep.slots(body)), body);
  }

  /// A net of nodes that ends when nothing is left in it.
  public static Step graph(Split start, Node... nodes) {
    Term term = Flow.graph(start, nodes);
    return () -> term;
  }

  /// A net of nodes that ends with the first token at its end.
  public static Step graphUntilFirst(Split start, Node... nodes) {
    Term term = Flow.graphUntilFirst(start, nodes);
    return () -> term;
  }

  /// A node that runs its step for every token that arrives.
  public static Node node(String id, Step step, Split then) {
    return Flow.node(id, step.term(), then);
  }

  /// A node that joins its tokens before it runs its step.
  public static Node node(String id, Node.Join join, Step step, Split then) {
    return Flow.node(id, join, step.term(), then);
  }

  /// The token goes to one node.
  public static Split to(String target) {
    return Flow.to(target);
  }

  /// One token goes to every node.
  public static Split toAll(String... targets) {
    return Flow.toAll(targets);
  }

  /// Several tokens go to one node.
  public static Split copies(int count, String target) {
    return new Split.Copies(count, target);
  }

  /// The token goes along the first arc whose condition is true.
  public static Split toFirst(Split.Arc... arcs) {
    return Flow.toFirst(arcs);
  }

  /// One token goes along every arc whose condition is true.
  public static Split toEach(Split.Arc... arcs) {
    return Flow.toEach(arcs);
  }

  /// The arc that is taken when no condition is true.
  public static Split.Arc otherwiseTo(String target) {
    return Flow.otherwiseTo(target);
  }

  /// Writes a constant to a key, also if the key has the same value already.
  public static <T> Step set(Key<T> key, T value) {
    BoundKey<T> bound = BoundKey.toWrite(key);
    Object stored = bound.encode(value);
    TaskFunction function =
        new TypedCompute.Computing("", List.of(), List.of(bound), _ -> value, false);
    String text = "typed " + key.name() + " := " + stored;
    Term term = new Term.Task("", new Term.Work.Pure(function, text), Written.here(), null);
    return () -> term;
  }

  /// Attempts with a delay that doubles.
  public static Retry exponential(int max) {
    return Retry.exponential(max);
  }

  /// The option that makes a task an incident when its attempts are used up:
  /// `effect(…).onExhausted(park())`.
  public static OnExhausted park() {
    return OnExhausted.PARK;
  }

  /// Attempts only after failures whose handler states that nothing was sent.
  public static Retry ifNotSent(int max) {
    return Flow.ifNotSent(max);
  }

  /// The failure that a `catch` handles; see [ScopeStep#onFailure].
  public static final Key<CaughtFailure> FAILURE = Key.of("error", CaughtFailure.class);

  /// Why a scope failed.
  ///
  /// @param task the task that failed; empty if no task did
  /// @param reason a short word, such as `timeout`
  /// @param detail a sentence for people
  /// @param attempt the number of the last attempt
  /// @param place where in the definition it failed
  public record CaughtFailure(
      String task, String reason, String detail, int attempt, String place) {}
}
