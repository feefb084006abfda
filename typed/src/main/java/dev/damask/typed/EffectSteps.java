package dev.damask.typed;

import dev.damask.effect.Approval;
import dev.damask.term.ExternalTask;
import dev.damask.value.Key;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/// The steps that are performed outside of the machine: `effect` for handlers that return a value,
/// `action` for those that return nothing, `external` and `approval` for people and other programs.
/// A handler accepts the values of up to five keys and, if it declares it, the
/// [dev.damask.effect.EffectCall] last.
public abstract sealed class EffectSteps extends FlowSteps permits TaskSteps {
  EffectSteps() {}

  /// A step whose handler accepts no value and returns a result.
  public static <R> TypedTask<R> effect(String name, Handlers.Returns0<? extends R> handler) {
    return effect(name, _ -> handler.call());
  }

  /// A step whose handler accepts no value and the call, and returns a result.
  public static <R> TypedTask<R> effect(
      String name, Handlers.ReturnsWithCall0<? extends R> handler) {
    return TypedTask.effect(name, List.of(), (context, call) -> handler.call(call));
  }

  /// A step whose handler accepts one value and returns a result.
  public static <A, R> TypedTask<R> effect(
      String name, Key<A> a, Handlers.Returns1<? super A, ? extends R> handler) {
    return effect(name, a, (one, _) -> handler.call(one));
  }

  /// A step whose handler accepts one value and the call, and returns a result.
  public static <A, R> TypedTask<R> effect(
      String name, Key<A> a, Handlers.ReturnsWithCall1<? super A, ? extends R> handler) {
    var in = new BoundKeys.One<>(a);
    return TypedTask.effect(name, in.all(), (context, call) -> handler.call(in.a(context), call));
  }

  /// A step whose handler accepts two values and returns a result.
  public static <A, B, R> TypedTask<R> effect(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.Returns2<? super A, ? super B, ? extends R> handler) {
    return effect(name, a, b, (one, two, _) -> handler.call(one, two));
  }

  /// A step whose handler accepts two values and the call, and returns a result.
  public static <A, B, R> TypedTask<R> effect(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.ReturnsWithCall2<? super A, ? super B, ? extends R> handler) {
    var in = new BoundKeys.Two<>(a, b);
    return TypedTask.effect(
        name, in.all(), (context, call) -> handler.call(in.a(context), in.b(context), call));
  }

  /// A step whose handler accepts three values and returns a result.
  public static <A, B, C, R> TypedTask<R> effect(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Returns3<? super A, ? super B, ? super C, ? extends R> handler) {
    return effect(name, a, b, c, (one, two, three, _) -> handler.call(one, two, three));
  }

  /// A step whose handler accepts three values and the call, and returns a result.
  public static <A, B, C, R> TypedTask<R> effect(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.ReturnsWithCall3<? super A, ? super B, ? super C, ? extends R> handler) {
    var in = new BoundKeys.Three<>(a, b, c);
    return TypedTask.effect(
        name,
        in.all(),
        (context, call) -> handler.call(in.a(context), in.b(context), in.c(context), call));
  }

  /// A step whose handler accepts four values and returns a result.
  public static <A, B, C, D, R> TypedTask<R> effect(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.Returns4<? super A, ? super B, ? super C, ? super D, ? extends R> handler) {
    return effect(
        name, a, b, c, d, (one, two, three, four, _) -> handler.call(one, two, three, four));
  }

  /// A step whose handler accepts four values and the call, and returns a result.
  public static <A, B, C, D, R> TypedTask<R> effect(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.ReturnsWithCall4<? super A, ? super B, ? super C, ? super D, ? extends R> handler) {
    var in = new BoundKeys.Four<>(a, b, c, d);
    return TypedTask.effect(
        name,
        in.all(),
        (context, call) ->
            handler.call(in.a(context), in.b(context), in.c(context), in.d(context), call));
  }

  /// A step whose handler accepts five values and returns a result.
  public static <A, B, C, D, E, R> TypedTask<R> effect(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.Returns5<? super A, ? super B, ? super C, ? super D, ? super E, ? extends R>
          handler) {
    return effect(
        name,
        a,
        b,
        c,
        d,
        e,
        (one, two, three, four, five, _) -> handler.call(one, two, three, four, five));
  }

  /// A step whose handler accepts five values and the call, and returns a result.
  public static <A, B, C, D, E, R> TypedTask<R> effect(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.ReturnsWithCall5<? super A, ? super B, ? super C, ? super D, ? super E, ? extends R>
          handler) {
    var in = new BoundKeys.Five<>(a, b, c, d, e);
    return TypedTask.effect(
        name,
        in.all(),
        (context, call) ->
            handler.call(
                in.a(context), in.b(context), in.c(context), in.d(context), in.e(context), call));
  }

  /// A step whose handler accepts no value and returns nothing.
  public static TypedAction action(String name, Handlers.Acts0 handler) {
    return action(name, _ -> handler.call());
  }

  /// A step whose handler accepts no value and the call, and returns nothing.
  public static TypedAction action(String name, Handlers.ActsWithCall0 handler) {
    return TypedAction.of(name, List.of(), (context, call) -> handler.call(call));
  }

  /// A step whose handler accepts one value and returns nothing.
  public static <A> TypedAction action(String name, Key<A> a, Handlers.Acts1<? super A> handler) {
    return action(name, a, (one, _) -> handler.call(one));
  }

  /// A step whose handler accepts one value and the call, and returns nothing.
  public static <A> TypedAction action(
      String name, Key<A> a, Handlers.ActsWithCall1<? super A> handler) {
    var in = new BoundKeys.One<>(a);
    return TypedAction.of(name, in.all(), (context, call) -> handler.call(in.a(context), call));
  }

  /// A step whose handler accepts two values and returns nothing.
  public static <A, B> TypedAction action(
      String name, Key<A> a, Key<B> b, Handlers.Acts2<? super A, ? super B> handler) {
    return action(name, a, b, (one, two, _) -> handler.call(one, two));
  }

  /// A step whose handler accepts two values and the call, and returns nothing.
  public static <A, B> TypedAction action(
      String name, Key<A> a, Key<B> b, Handlers.ActsWithCall2<? super A, ? super B> handler) {
    var in = new BoundKeys.Two<>(a, b);
    return TypedAction.of(
        name, in.all(), (context, call) -> handler.call(in.a(context), in.b(context), call));
  }

  /// A step whose handler accepts three values and returns nothing.
  public static <A, B, C> TypedAction action(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Acts3<? super A, ? super B, ? super C> handler) {
    return action(name, a, b, c, (one, two, three, _) -> handler.call(one, two, three));
  }

  /// A step whose handler accepts three values and the call, and returns nothing.
  public static <A, B, C> TypedAction action(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.ActsWithCall3<? super A, ? super B, ? super C> handler) {
    var in = new BoundKeys.Three<>(a, b, c);
    return TypedAction.of(
        name,
        in.all(),
        (context, call) -> handler.call(in.a(context), in.b(context), in.c(context), call));
  }

  /// A step whose handler accepts four values and returns nothing.
  public static <A, B, C, D> TypedAction action(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.Acts4<? super A, ? super B, ? super C, ? super D> handler) {
    return action(
        name, a, b, c, d, (one, two, three, four, _) -> handler.call(one, two, three, four));
  }

  /// A step whose handler accepts four values and the call, and returns nothing.
  public static <A, B, C, D> TypedAction action(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.ActsWithCall4<? super A, ? super B, ? super C, ? super D> handler) {
    var in = new BoundKeys.Four<>(a, b, c, d);
    return TypedAction.of(
        name,
        in.all(),
        (context, call) ->
            handler.call(in.a(context), in.b(context), in.c(context), in.d(context), call));
  }

  /// A step whose handler accepts five values and returns nothing.
  public static <A, B, C, D, E> TypedAction action(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.Acts5<? super A, ? super B, ? super C, ? super D, ? super E> handler) {
    return action(
        name,
        a,
        b,
        c,
        d,
        e,
        (one, two, three, four, five, _) -> handler.call(one, two, three, four, five));
  }

  /// A step whose handler accepts five values and the call, and returns nothing.
  public static <A, B, C, D, E> TypedAction action(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.ActsWithCall5<? super A, ? super B, ? super C, ? super D, ? super E> handler) {
    var in = new BoundKeys.Five<>(a, b, c, d, e);
    return TypedAction.of(
        name,
        in.all(),
        (context, call) ->
            handler.call(
                in.a(context), in.b(context), in.c(context), in.d(context), in.e(context), call));
  }

  /// A task that a person or another program completes, or a handler that is registered under its
  /// name: `external(REVIEW, ORDER)`. Its payload has the values of the keys.
  public static <R> TypedTask<R> external(ExternalTask<R> task, Key<?>... inputs) {
    return TypedTask.external(task, inputs);
  }

  /// Asks approvers for a decision: `approval("pay", Approval.of("Pay?").withApprovers("eve"))`. No
  /// other answer counts.
  public static TypedTask<ApprovalDecision> approval(String name, Approval approval) {
    return TypedTask.approval(name, List.of(), _ -> approval);
  }

  /// Asks approvers for a decision, with a question and approvers from one value.
  public static <A> TypedTask<ApprovalDecision> approval(
      String name, Key<A> a, Function<? super A, Approval> approval) {
    var in = new BoundKeys.One<>(a);
    return TypedTask.approval(name, in.all(), context -> approval.apply(in.a(context)));
  }

  /// Asks approvers for a decision, with a question and approvers from two values.
  public static <A, B> TypedTask<ApprovalDecision> approval(
      String name, Key<A> a, Key<B> b, BiFunction<? super A, ? super B, Approval> approval) {
    var in = new BoundKeys.Two<>(a, b);
    return TypedTask.approval(
        name, in.all(), context -> approval.apply(in.a(context), in.b(context)));
  }
}
