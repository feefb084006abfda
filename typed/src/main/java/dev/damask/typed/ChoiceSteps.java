package dev.damask.typed;

import dev.damask.term.Flow;
import dev.damask.term.Split;
import dev.damask.term.Term;
import dev.damask.value.Key;
import java.util.Arrays;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/// The steps that a named condition directs: branches, loops and arcs. A condition reads the values
/// of one to three keys. Its name stands for it in the program hash.
public abstract sealed class ChoiceSteps permits FlowSteps {
  ChoiceSteps() {}

  static Term body(Step... parts) {
    return parts.length == 0 ? Flow.skip() : Flow.seq(terms(parts));
  }

  static Term[] terms(Step... parts) {
    return Arrays.stream(parts).map(Step::term).toArray(Term[]::new);
  }

  private static <A> TypedGuard guard(String name, Key<A> a, Predicate<? super A> condition) {
    var in = new BoundKeys.One<>(a);
    return new TypedGuard(name, in.all(), context -> condition.test(in.a(context)));
  }

  private static <A, B> TypedGuard guard(
      String name, Key<A> a, Key<B> b, BiPredicate<? super A, ? super B> condition) {
    var in = new BoundKeys.Two<>(a, b);
    return new TypedGuard(name, in.all(), context -> condition.test(in.a(context), in.b(context)));
  }

  private static <A, B, C> TypedGuard guard(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Tests3<? super A, ? super B, ? super C> condition) {
    var in = new BoundKeys.Three<>(a, b, c);
    return new TypedGuard(
        name, in.all(), context -> condition.test(in.a(context), in.b(context), in.c(context)));
  }

  private static Term.Choice choice(TypedGuard guard, Step... then) {
    return new Term.Choice(guard, false, body(then));
  }

  /// A branch with a named condition.
  public static <A> Term.Choice when(
      String name, Key<A> a, Predicate<? super A> condition, Step... then) {
    return choice(guard(name, a, condition), then);
  }

  /// A branch with a named condition on two values.
  public static <A, B> Term.Choice when(
      String name, Key<A> a, Key<B> b, BiPredicate<? super A, ? super B> condition, Step... then) {
    return choice(guard(name, a, b, condition), then);
  }

  /// A branch with a named condition on three values.
  public static <A, B, C> Term.Choice when(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Tests3<? super A, ? super B, ? super C> condition,
      Step... then) {
    return choice(guard(name, a, b, c, condition), then);
  }

  private static Step loopWhile(TypedGuard guard, Step... parts) {
    Term term = Flow.repeatWhile(guard, body(parts));
    return () -> term;
  }

  /// Repeats the parts while a named condition is true.
  public static <A> Step repeatWhile(
      String name, Key<A> a, Predicate<? super A> condition, Step... parts) {
    return loopWhile(guard(name, a, condition), parts);
  }

  /// Repeats the parts while a named condition on two values is true.
  public static <A, B> Step repeatWhile(
      String name, Key<A> a, Key<B> b, BiPredicate<? super A, ? super B> condition, Step... parts) {
    return loopWhile(guard(name, a, b, condition), parts);
  }

  /// Repeats the parts while a named condition on three values is true.
  public static <A, B, C> Step repeatWhile(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Tests3<? super A, ? super B, ? super C> condition,
      Step... parts) {
    return loopWhile(guard(name, a, b, c, condition), parts);
  }

  private static Step loopUntil(TypedGuard guard, Step... parts) {
    Term term = Flow.repeatUntil(guard, body(parts));
    return () -> term;
  }

  /// Runs the parts, and again until a named condition is true.
  public static <A> Step repeatUntil(
      String name, Key<A> a, Predicate<? super A> condition, Step... parts) {
    return loopUntil(guard(name, a, condition), parts);
  }

  /// Runs the parts, and again until a named condition on two values is true.
  public static <A, B> Step repeatUntil(
      String name, Key<A> a, Key<B> b, BiPredicate<? super A, ? super B> condition, Step... parts) {
    return loopUntil(guard(name, a, b, condition), parts);
  }

  /// Runs the parts, and again until a named condition on three values is true.
  public static <A, B, C> Step repeatUntil(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Tests3<? super A, ? super B, ? super C> condition,
      Step... parts) {
    return loopUntil(guard(name, a, b, c, condition), parts);
  }

  /// An arc with a named condition.
  public static <A> Split.Arc arc(
      String name, Key<A> a, Predicate<? super A> condition, String target) {
    return Flow.arc(guard(name, a, condition), target);
  }

  /// An arc with a named condition on two values.
  public static <A, B> Split.Arc arc(
      String name, Key<A> a, Key<B> b, BiPredicate<? super A, ? super B> condition, String target) {
    return Flow.arc(guard(name, a, b, condition), target);
  }

  /// An arc with a named condition on three values.
  public static <A, B, C> Split.Arc arc(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Tests3<? super A, ? super B, ? super C> condition,
      String target) {
    return Flow.arc(guard(name, a, b, c, condition), target);
  }
}
