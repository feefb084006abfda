package dev.damask.typed;

import dev.damask.value.Key;
import java.util.List;

/// The steps that run inside the machine (`task`) and those that join a transaction of the store
/// (`transaction`).
public abstract sealed class TaskSteps extends EffectSteps permits ScriptForms {
  TaskSteps() {}

  /// A pure function of one value. It runs inside the machine, must be fast and must not block.
  public static <A, R> TypedCompute<R> task(
      String name, Key<A> a, Handlers.Computes1<? super A, ? extends R> function) {
    BoundKey<A> aa = BoundKey.of(a);
    return TypedCompute.of(name, List.of(aa), context -> function.call(aa.read(context)));
  }

  /// A pure function of two values. It runs inside the machine, must be fast and must not block.
  public static <A, B, R> TypedCompute<R> task(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.Computes2<? super A, ? super B, ? extends R> function) {
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    return TypedCompute.of(
        name, List.of(aa, bb), context -> function.call(aa.read(context), bb.read(context)));
  }

  /// A pure function of three values. It runs inside the machine, must be fast and must not block.
  public static <A, B, C, R> TypedCompute<R> task(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Computes3<? super A, ? super B, ? super C, ? extends R> function) {
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    return TypedCompute.of(
        name,
        List.of(aa, bb, cc),
        context -> function.call(aa.read(context), bb.read(context), cc.read(context)));
  }

  /// A pure function of four values. It runs inside the machine, must be fast and must not block.
  public static <A, B, C, D, R> TypedCompute<R> task(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Handlers.Computes4<? super A, ? super B, ? super C, ? super D, ? extends R> function) {
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    BoundKey<D> dd = BoundKey.of(d);
    return TypedCompute.of(
        name,
        List.of(aa, bb, cc, dd),
        context ->
            function.call(aa.read(context), bb.read(context), cc.read(context), dd.read(context)));
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
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    BoundKey<D> dd = BoundKey.of(d);
    BoundKey<E> ee = BoundKey.of(e);
    return TypedCompute.of(
        name,
        List.of(aa, bb, cc, dd, ee),
        context ->
            function.call(
                aa.read(context),
                bb.read(context),
                cc.read(context),
                dd.read(context),
                ee.read(context)));
  }

  /// A step that commits together with the case, in the database of the store. Refused when the
  /// engine opens on a store without one.
  public static <A, R> TypedTask<R> transaction(
      String name, Key<A> a, Handlers.Transacts1<? super A, ? extends R> handler) {
    BoundKey<A> aa = BoundKey.of(a);
    return TypedTask.transaction(
        name, List.of(aa), (context, _, connection) -> handler.call(aa.read(context), connection));
  }

  /// A step that commits together with the case and accepts the call. Refused when the engine opens
  /// on a store without a database.
  public static <A, R> TypedTask<R> transaction(
      String name, Key<A> a, Handlers.TransactsWithCall1<? super A, ? extends R> handler) {
    BoundKey<A> aa = BoundKey.of(a);
    return TypedTask.transaction(
        name,
        List.of(aa),
        (context, call, connection) -> handler.call(aa.read(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store. Refused when the
  /// engine opens on a store without one.
  public static <A, B, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.Transacts2<? super A, ? super B, ? extends R> handler) {
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    return TypedTask.transaction(
        name,
        List.of(aa, bb),
        (context, _, connection) -> handler.call(aa.read(context), bb.read(context), connection));
  }

  /// A step that commits together with the case and accepts the call. Refused when the engine opens
  /// on a store without a database.
  public static <A, B, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Handlers.TransactsWithCall2<? super A, ? super B, ? extends R> handler) {
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    return TypedTask.transaction(
        name,
        List.of(aa, bb),
        (context, call, connection) ->
            handler.call(aa.read(context), bb.read(context), call, connection));
  }

  /// A step that commits together with the case, in the database of the store. Refused when the
  /// engine opens on a store without one.
  public static <A, B, C, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.Transacts3<? super A, ? super B, ? super C, ? extends R> handler) {
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    return TypedTask.transaction(
        name,
        List.of(aa, bb, cc),
        (context, _, connection) ->
            handler.call(aa.read(context), bb.read(context), cc.read(context), connection));
  }

  /// A step that commits together with the case and accepts the call. Refused when the engine opens
  /// on a store without a database.
  public static <A, B, C, R> TypedTask<R> transaction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Handlers.TransactsWithCall3<? super A, ? super B, ? super C, ? extends R> handler) {
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    return TypedTask.transaction(
        name,
        List.of(aa, bb, cc),
        (context, call, connection) ->
            handler.call(aa.read(context), bb.read(context), cc.read(context), call, connection));
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
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    BoundKey<D> dd = BoundKey.of(d);
    return TypedTask.transaction(
        name,
        List.of(aa, bb, cc, dd),
        (context, _, connection) ->
            handler.call(
                aa.read(context),
                bb.read(context),
                cc.read(context),
                dd.read(context),
                connection));
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
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    BoundKey<D> dd = BoundKey.of(d);
    return TypedTask.transaction(
        name,
        List.of(aa, bb, cc, dd),
        (context, call, connection) ->
            handler.call(
                aa.read(context),
                bb.read(context),
                cc.read(context),
                dd.read(context),
                call,
                connection));
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
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    BoundKey<D> dd = BoundKey.of(d);
    BoundKey<E> ee = BoundKey.of(e);
    return TypedTask.transaction(
        name,
        List.of(aa, bb, cc, dd, ee),
        (context, _, connection) ->
            handler.call(
                aa.read(context),
                bb.read(context),
                cc.read(context),
                dd.read(context),
                ee.read(context),
                connection));
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
    BoundKey<A> aa = BoundKey.of(a);
    BoundKey<B> bb = BoundKey.of(b);
    BoundKey<C> cc = BoundKey.of(c);
    BoundKey<D> dd = BoundKey.of(d);
    BoundKey<E> ee = BoundKey.of(e);
    return TypedTask.transaction(
        name,
        List.of(aa, bb, cc, dd, ee),
        (context, call, connection) ->
            handler.call(
                aa.read(context),
                bb.read(context),
                cc.read(context),
                dd.read(context),
                ee.read(context),
                call,
                connection));
  }
}
