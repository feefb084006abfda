package dev.damask.typed;

import dev.damask.value.Context;
import dev.damask.value.Key;
import java.util.ArrayList;
import java.util.List;

/// The keys whose values a handler accepts, from one to five, with the codecs of their types. Each
/// class adds one key to the class before.
final class BoundKeys {
  private BoundKeys() {}

  /// One key.
  static class One<A> {
    private final List<BoundKey<?>> all = new ArrayList<>();
    private final BoundKey<A> key;

    One(Key<A> a) {
      key = bind(a);
    }

    final <T> BoundKey<T> bind(Key<T> next) {
      BoundKey<T> bound = BoundKey.of(next);
      all.add(bound);
      return bound;
    }

    /// The keys in the order of the handler's parameters.
    final List<BoundKey<?>> all() {
      return List.copyOf(all);
    }

    final A a(Context context) {
      return key.read(context);
    }
  }

  /// Two keys.
  static class Two<A, B> extends One<A> {
    private final BoundKey<B> key;

    Two(Key<A> a, Key<B> b) {
      super(a);
      key = bind(b);
    }

    final B b(Context context) {
      return key.read(context);
    }
  }

  /// Three keys.
  static class Three<A, B, C> extends Two<A, B> {
    private final BoundKey<C> key;

    Three(Key<A> a, Key<B> b, Key<C> c) {
      super(a, b);
      key = bind(c);
    }

    final C c(Context context) {
      return key.read(context);
    }
  }

  /// Four keys.
  static class Four<A, B, C, D> extends Three<A, B, C> {
    private final BoundKey<D> key;

    Four(Key<A> a, Key<B> b, Key<C> c, Key<D> d) {
      super(a, b, c);
      key = bind(d);
    }

    final D d(Context context) {
      return key.read(context);
    }
  }

  /// Five keys.
  static final class Five<A, B, C, D, E> extends Four<A, B, C, D> {
    private final BoundKey<E> key;

    Five(Key<A> a, Key<B> b, Key<C> c, Key<D> d, Key<E> e) {
      super(a, b, c, d);
      key = bind(e);
    }

    final E e(Context context) {
      return key.read(context);
    }
  }
}
