package dev.damask.typed;

import dev.damask.value.Key;

/// The steps that run inside the machine (`task`) and those that join a transaction of the store
/// (`transaction`, and `transactionAction` for handlers that return nothing).
public abstract sealed class TaskSteps extends EffectSteps permits ScriptForms {
  TaskSteps() {}

  /// A pure function of one value. It runs inside the machine, must be fast and must not block.
  public static <A, R> TypedCompute<R> task(
      String name, Key<A> a, Handlers.Computes1<? super A, ? extends R> function) {
    var in = new BoundKeys.One<>(a);
    return TypedCompute.of(name, in.all(), context -> function.call(in.a(context)));
  }

  /// A pure function of two values. It runs inside the machine, must be fast and must not block.
  public static <A, B, R> TypedCompute<R> task(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.Computes2<? super A, ? super B, ? extends R> function) {
    var in = new BoundKeys.Two<>(a, b);
    return TypedCompute.of(name, in.all(), context -> function.call(in.a(context), in.b(context)));
  }

  /// A pure function of three values. It runs inside the machine, must be fast and must not block.
  public static <A, B, C, R> TypedCompute<R> task(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Computes3<? super A, ? super B, ? super C, ? extends R> function) {
    var in = new BoundKeys.Three<>(a, b, c);
    return TypedCompute.of(
        name, in.all(), context -> function.call(in.a(context), in.b(context), in.c(context)));
  }

  /// A pure function of four values. It runs inside the machine, must be fast and must not block.
  public static <A, B, C, D, R> TypedCompute<R> task(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.Computes4<? super A, ? super B, ? super C, ? super D, ? extends R> function) {
    var in = new BoundKeys.Four<>(a, b, c, d);
    return TypedCompute.of(
        name,
        in.all(),
        context -> function.call(in.a(context), in.b(context), in.c(context), in.d(context)));
  }

  /// A pure function of five values. It runs inside the machine, must be fast and must not block.
  public static <A, B, C, D, E, R> TypedCompute<R> task(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.Computes5<? super A, ? super B, ? super C, ? super D, ? super E, ? extends R>
          function) {
    var in = new BoundKeys.Five<>(a, b, c, d, e);
    return TypedCompute.of(
        name,
        in.all(),
        context ->
            function.call(
                in.a(context), in.b(context), in.c(context), in.d(context), in.e(context)));
  }

  /// A step that commits together with the case, in the database of the store. Refused when the
  /// engine opens on a store without one.
  public static <A, R> TypedTask<R> transaction(
      String name, Key<A> a, Handlers.Transacts1<? super A, ? extends R> handler) {
    return transaction(name, a, (one, _, connection) -> handler.call(one, connection));
  }

  /// A step that commits together with the case and accepts the call. Refused when the engine opens
  /// on a store without a database.
  public static <A, R> TypedTask<R> transaction(
      String name, Key<A> a, Handlers.TransactsWithCall1<? super A, ? extends R> handler) {
    var in = new BoundKeys.One<>(a);
    return TypedTask.transaction(
        name,
        in.all(),
        (context, call, connection) -> handler.call(in.a(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store. Refused when the
  /// engine opens on a store without one.
  public static <A, B, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.Transacts2<? super A, ? super B, ? extends R> handler) {
    return transaction(name, a, b, (one, two, _, connection) -> handler.call(one, two, connection));
  }

  /// A step that commits together with the case and accepts the call. Refused when the engine opens
  /// on a store without a database.
  public static <A, B, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.TransactsWithCall2<? super A, ? super B, ? extends R> handler) {
    var in = new BoundKeys.Two<>(a, b);
    return TypedTask.transaction(
        name,
        in.all(),
        (context, call, connection) ->
            handler.call(in.a(context), in.b(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store. Refused when the
  /// engine opens on a store without one.
  public static <A, B, C, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Transacts3<? super A, ? super B, ? super C, ? extends R> handler) {
    return transaction(
        name,
        a,
        b,
        c,
        (one, two, three, _, connection) -> handler.call(one, two, three, connection));
  }

  /// A step that commits together with the case and accepts the call. Refused when the engine opens
  /// on a store without a database.
  public static <A, B, C, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.TransactsWithCall3<? super A, ? super B, ? super C, ? extends R> handler) {
    var in = new BoundKeys.Three<>(a, b, c);
    return TypedTask.transaction(
        name,
        in.all(),
        (context, call, connection) ->
            handler.call(in.a(context), in.b(context), in.c(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store. Refused when the
  /// engine opens on a store without one.
  public static <A, B, C, D, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.Transacts4<? super A, ? super B, ? super C, ? super D, ? extends R> handler) {
    return transaction(
        name,
        a,
        b,
        c,
        d,
        (one, two, three, four, _, connection) -> handler.call(one, two, three, four, connection));
  }

  /// A step that commits together with the case and accepts the call. Refused when the engine opens
  /// on a store without a database.
  public static <A, B, C, D, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.TransactsWithCall4<? super A, ? super B, ? super C, ? super D, ? extends R>
          handler) {
    var in = new BoundKeys.Four<>(a, b, c, d);
    return TypedTask.transaction(
        name,
        in.all(),
        (context, call, connection) ->
            handler.call(
                in.a(context), in.b(context), in.c(context), in.d(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store. Refused when the
  /// engine opens on a store without one.
  public static <A, B, C, D, E, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.Transacts5<? super A, ? super B, ? super C, ? super D, ? super E, ? extends R>
          handler) {
    return transaction(
        name,
        a,
        b,
        c,
        d,
        e,
        (one, two, three, four, five, _, connection) ->
            handler.call(one, two, three, four, five, connection));
  }

  /// A step that commits together with the case and accepts the call. Refused when the engine opens
  /// on a store without a database.
  public static <A, B, C, D, E, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.TransactsWithCall5<
              ? super A, ? super B, ? super C, ? super D, ? super E, ? extends R>
          handler) {
    var in = new BoundKeys.Five<>(a, b, c, d, e);
    return TypedTask.transaction(
        name,
        in.all(),
        (context, call, connection) ->
            handler.call(
                in.a(context),
                in.b(context),
                in.c(context),
                in.d(context),
                in.e(context),
                call,
                connection));
  }

  /// A step that commits together with the case, in the database of the store, and returns nothing.
  /// Refused when the engine opens on a store without one.
  public static <A> TypedAction transactionAction(
      String name, Key<A> a, Handlers.TransactActs1<? super A> handler) {
    return transactionAction(name, a, (one, _, connection) -> handler.call(one, connection));
  }

  /// A step that commits together with the case, accepts the call and returns nothing. Refused when
  /// the engine opens on a store without a database.
  public static <A> TypedAction transactionAction(
      String name, Key<A> a, Handlers.TransactActsWithCall1<? super A> handler) {
    var in = new BoundKeys.One<>(a);
    return TypedAction.transaction(
        name,
        in.all(),
        (context, call, connection) -> handler.call(in.a(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store, and returns nothing.
  /// Refused when the engine opens on a store without one.
  public static <A, B> TypedAction transactionAction(
      String name, Key<A> a, Key<B> b, Handlers.TransactActs2<? super A, ? super B> handler) {
    return transactionAction(
        name, a, b, (one, two, _, connection) -> handler.call(one, two, connection));
  }

  /// A step that commits together with the case, accepts the call and returns nothing. Refused when
  /// the engine opens on a store without a database.
  public static <A, B> TypedAction transactionAction(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.TransactActsWithCall2<? super A, ? super B> handler) {
    var in = new BoundKeys.Two<>(a, b);
    return TypedAction.transaction(
        name,
        in.all(),
        (context, call, connection) ->
            handler.call(in.a(context), in.b(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store, and returns nothing.
  /// Refused when the engine opens on a store without one.
  public static <A, B, C> TypedAction transactionAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.TransactActs3<? super A, ? super B, ? super C> handler) {
    return transactionAction(
        name,
        a,
        b,
        c,
        (one, two, three, _, connection) -> handler.call(one, two, three, connection));
  }

  /// A step that commits together with the case, accepts the call and returns nothing. Refused when
  /// the engine opens on a store without a database.
  public static <A, B, C> TypedAction transactionAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.TransactActsWithCall3<? super A, ? super B, ? super C> handler) {
    var in = new BoundKeys.Three<>(a, b, c);
    return TypedAction.transaction(
        name,
        in.all(),
        (context, call, connection) ->
            handler.call(in.a(context), in.b(context), in.c(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store, and returns nothing.
  /// Refused when the engine opens on a store without one.
  public static <A, B, C, D> TypedAction transactionAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.TransactActs4<? super A, ? super B, ? super C, ? super D> handler) {
    return transactionAction(
        name,
        a,
        b,
        c,
        d,
        (one, two, three, four, _, connection) -> handler.call(one, two, three, four, connection));
  }

  /// A step that commits together with the case, accepts the call and returns nothing. Refused when
  /// the engine opens on a store without a database.
  public static <A, B, C, D> TypedAction transactionAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.TransactActsWithCall4<? super A, ? super B, ? super C, ? super D> handler) {
    var in = new BoundKeys.Four<>(a, b, c, d);
    return TypedAction.transaction(
        name,
        in.all(),
        (context, call, connection) ->
            handler.call(
                in.a(context), in.b(context), in.c(context), in.d(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store, and returns nothing.
  /// Refused when the engine opens on a store without one.
  public static <A, B, C, D, E> TypedAction transactionAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.TransactActs5<? super A, ? super B, ? super C, ? super D, ? super E> handler) {
    return transactionAction(
        name,
        a,
        b,
        c,
        d,
        e,
        (one, two, three, four, five, _, connection) ->
            handler.call(one, two, three, four, five, connection));
  }

  /// A step that commits together with the case, accepts the call and returns nothing. Refused when
  /// the engine opens on a store without a database.
  public static <A, B, C, D, E> TypedAction transactionAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      Handlers.TransactActsWithCall5<? super A, ? super B, ? super C, ? super D, ? super E>
          handler) {
    var in = new BoundKeys.Five<>(a, b, c, d, e);
    return TypedAction.transaction(
        name,
        in.all(),
        (context, call, connection) ->
            handler.call(
                in.a(context),
                in.b(context),
                in.c(context),
                in.d(context),
                in.e(context),
                call,
                connection));
  }
}
