package dev.damask.typed;

import dev.damask.task.Expression;
import dev.damask.task.InstanceCondition;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.TermPath;
import dev.damask.term.TermWalker;
import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A set of instances that run at the same time. It writes only what it collects.
public final class EachStep implements Step {
  private static final String SLOTS = "at once ";
  private static final String ALL = "_all";

  private final String name;
  private final InstancePolicy policy;
  private final Term body;
  private final @Nullable Collecting<?> collecting;
  private final int atOnce; // 0 for no limit

  private record Collecting<T>(BoundKey<T> each, BoundKey<List<T>> all) {}

  private EachStep(
      String name,
      InstancePolicy policy,
      Term body,
      @Nullable Collecting<?> collecting,
      int atOnce) {
    this.name = name;
    this.policy = policy;
    this.body = body;
    this.collecting = collecting;
    this.atOnce = atOnce;
  }

  static EachStep of(String name, Expression count, Term body) {
    return new EachStep(name, InstancePolicy.of(count), body, null, 0);
  }

  static <T> EachStep of(Key<List<T>> items, Key<T> item, Term body) {
    BoundKey<List<T>> list = BoundKey.of(items);
    BoundKey<T> each = BoundKey.toWrite(item);
    Expression values =
        new TypedExpression(
            List.of(list),
            context -> {
              List<@Nullable Object> encoded = new ArrayList<>();
              for (T value : list.read(context)) {
                encoded.add(each.encode(value));
              }
              return encoded;
            });
    Term moved = Flow.seq(Rewrite.moving("item", each), body);
    return of("each " + item.name(), values, moved);
  }

  /// A named condition on the results of instances.
  record Enough<T>(String label, BoundKey<T> key, Predicate<List<T>> condition)
      implements InstanceCondition {
    @Override
    public boolean test(int done, int total, List<Context> results) {
      return condition.test(
          results.stream().filter(each -> each.has(key.entry())).map(key::read).toList());
    }

    @Override
    public String text() {
      return label + " typed " + key.entry();
    }
  }

  private EachStep with(InstancePolicy changed) {
    return new EachStep(name, changed, body, collecting, atOnce);
  }

  /// Another name of the set, for `kill`, `complete` and the engine's `addInstance`.
  public EachStep named(String changed) {
    return new EachStep(changed, policy, body, collecting, atOnce);
  }

  /// Writes the value that each instance has under a key to a list, in the order of the instances.
  public <T> EachStep collect(Key<T> each, Key<List<T>> all) {
    Collecting<T> changed = new Collecting<>(BoundKey.of(each), BoundKey.toWrite(all));
    return new EachStep(name, policy, body, changed, atOnce);
  }

  /// Runs at most so many instances of a case at once; the others wait for their turn.
  public EachStep atOnce(int max) {
    if (max < 1 || max > Place.INIT_MAX) {
      throw new IllegalArgumentException(
          "%s: atOnce must be between 1 and %d, got %d".formatted(name, Place.INIT_MAX, max));
    }
    return new EachStep(name, policy, body, collecting, max);
  }

  /// Fails the case with `mi_bounds` if there are fewer or more instances.
  public EachStep between(int min, int max) {
    return with(policy.between(min, max));
  }

  /// Continues after so many instances; zero does not wait at all.
  public EachStep need(int count) {
    return with(policy.need(count));
  }

  /// Continues when a named condition on the results so far is true.
  public <T> EachStep need(String condition, Key<T> key, Predicate<List<T>> isEnough) {
    return with(
        policy.need(
            new InstancePolicy.Need.When(new Enough<>(condition, BoundKey.of(key), isEnough))));
  }

  /// Cancels the other instances when enough have completed.
  public EachStep cancelRest() {
    return with(policy.rest(JoinPolicy.Rest.CANCEL));
  }

  /// Allows instances to be added while the set is running.
  public EachStep open() {
    return with(policy.opened());
  }

  /// Allows instances to be added, and waits for more until the set is closed.
  public EachStep openUntilClosed() {
    return with(policy.openUntilClosed());
  }

  @Override
  public Term term() {
    Term inner = body;
    InstancePolicy used = policy;
    if (collecting != null) {
      inner = Flow.seq(inner, new Copy(collecting).term());
      used = policy.collect(collecting.all().entry());
    }
    if (atOnce > 0) {
      String place = SLOTS + atOnce + " " + name;
      inner = new Term.Cancel(name + " slot", List.of(place), ScopeOptions.NONE, inner);
    }
    Term instances = new Term.Mi(name, used, inner);
    return collecting == null
        ? instances
        : Flow.seq(instances, Rewrite.moving(collecting.all().entry() + ALL, collecting.all()));
  }

  /// Puts the collected value of an instance under the name of the list.
  private record Copy(Collecting<?> collecting) {
    Term term() {
      return Rewrite.copying(collecting.each(), collecting.all().entry());
    }
  }

  /// The places that limit how many instances run at once.
  static Collection<Place> slots(Term body) {
    TreeMap<String, Place> places = new TreeMap<>();
    TermWalker.walk(
        TermPath.BODY,
        body,
        (_, term) -> {
          if (term instanceof Term.Cancel(_, var holding, _, _)) {
            for (String each : holding) {
              if (each.startsWith(SLOTS)) {
                int end = each.indexOf(' ', SLOTS.length());
                int count = Integer.parseInt(each.substring(SLOTS.length(), end));
                Place place = new Place(each, false, Place.Lifetime.PERSISTENT, count);
                places.put(each, place);
              }
            }
          }
        });
    return places.values();
  }
}
