package dev.damask.typed;

import dev.damask.value.Key;
import java.util.List;

/// The steps that are ordinary Java code with recorded steps: `script` for code that returns a
/// value, `scriptAction` for code that returns nothing.
public abstract sealed class ScriptForms extends TaskSteps permits Steps {
  ScriptForms() {}

  /// Ordinary Java code that reads no value, takes recorded steps and returns a result.
  public static <R> TypedScript<R> script(String name, ScriptHandlers.Script0<? extends R> code) {
    return TypedScript.of(name, List.of(), (context, script) -> code.run(script));
  }

  /// Ordinary Java code that reads no value, takes recorded steps and returns nothing.
  public static TypedScript<Void> scriptAction(String name, ScriptHandlers.ScriptAct0 code) {
    return TypedScript.action(name, List.of(), (context, script) -> code.run(script));
  }

  /// Ordinary Java code that reads one value, takes recorded steps and returns a result.
  public static <A, R> TypedScript<R> script(
      String name, Key<A> a, ScriptHandlers.Script1<? super A, ? extends R> code) {
    var in = new BoundKeys.One<>(a);
    return TypedScript.of(name, in.all(), (context, script) -> code.run(in.a(context), script));
  }

  /// Ordinary Java code that reads one value, takes recorded steps and returns nothing.
  public static <A> TypedScript<Void> scriptAction(
      String name, Key<A> a, ScriptHandlers.ScriptAct1<? super A> code) {
    var in = new BoundKeys.One<>(a);
    return TypedScript.action(name, in.all(), (context, script) -> code.run(in.a(context), script));
  }

  /// Ordinary Java code that reads two values, takes recorded steps and returns a result.
  public static <A, B, R> TypedScript<R> script(
      String name,
      Key<A> a,
      Key<B> b,
      ScriptHandlers.Script2<? super A, ? super B, ? extends R> code) {
    var in = new BoundKeys.Two<>(a, b);
    return TypedScript.of(
        name, in.all(), (context, script) -> code.run(in.a(context), in.b(context), script));
  }

  /// Ordinary Java code that reads two values, takes recorded steps and returns nothing.
  public static <A, B> TypedScript<Void> scriptAction(
      String name, Key<A> a, Key<B> b, ScriptHandlers.ScriptAct2<? super A, ? super B> code) {
    var in = new BoundKeys.Two<>(a, b);
    return TypedScript.action(
        name, in.all(), (context, script) -> code.run(in.a(context), in.b(context), script));
  }

  /// Ordinary Java code that reads three values, takes recorded steps and returns a result.
  public static <A, B, C, R> TypedScript<R> script(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      ScriptHandlers.Script3<? super A, ? super B, ? super C, ? extends R> code) {
    var in = new BoundKeys.Three<>(a, b, c);
    return TypedScript.of(
        name,
        in.all(),
        (context, script) -> code.run(in.a(context), in.b(context), in.c(context), script));
  }

  /// Ordinary Java code that reads three values, takes recorded steps and returns nothing.
  public static <A, B, C> TypedScript<Void> scriptAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      ScriptHandlers.ScriptAct3<? super A, ? super B, ? super C> code) {
    var in = new BoundKeys.Three<>(a, b, c);
    return TypedScript.action(
        name,
        in.all(),
        (context, script) -> code.run(in.a(context), in.b(context), in.c(context), script));
  }

  /// Ordinary Java code that reads four values, takes recorded steps and returns a result.
  public static <A, B, C, D, R> TypedScript<R> script(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      ScriptHandlers.Script4<? super A, ? super B, ? super C, ? super D, ? extends R> code) {
    var in = new BoundKeys.Four<>(a, b, c, d);
    return TypedScript.of(
        name,
        in.all(),
        (context, script) ->
            code.run(in.a(context), in.b(context), in.c(context), in.d(context), script));
  }

  /// Ordinary Java code that reads four values, takes recorded steps and returns nothing.
  public static <A, B, C, D> TypedScript<Void> scriptAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      ScriptHandlers.ScriptAct4<? super A, ? super B, ? super C, ? super D> code) {
    var in = new BoundKeys.Four<>(a, b, c, d);
    return TypedScript.action(
        name,
        in.all(),
        (context, script) ->
            code.run(in.a(context), in.b(context), in.c(context), in.d(context), script));
  }

  /// Ordinary Java code that reads five values, takes recorded steps and returns a result.
  public static <A, B, C, D, E, R> TypedScript<R> script(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      ScriptHandlers.Script5<? super A, ? super B, ? super C, ? super D, ? super E, ? extends R>
          code) {
    var in = new BoundKeys.Five<>(a, b, c, d, e);
    return TypedScript.of(
        name,
        in.all(),
        (context, script) ->
            code.run(
                in.a(context), in.b(context), in.c(context), in.d(context), in.e(context), script));
  }

  /// Ordinary Java code that reads five values, takes recorded steps and returns nothing.
  public static <A, B, C, D, E> TypedScript<Void> scriptAction(
      String name,
      Key<A> a,
      Key<B> b,
      Key<C> c,
      Key<D> d,
      Key<E> e,
      ScriptHandlers.ScriptAct5<? super A, ? super B, ? super C, ? super D, ? super E> code) {
    var in = new BoundKeys.Five<>(a, b, c, d, e);
    return TypedScript.action(
        name,
        in.all(),
        (context, script) ->
            code.run(
                in.a(context), in.b(context), in.c(context), in.d(context), in.e(context), script));
  }
}
