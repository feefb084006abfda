package dev.damask.typed;

/// The forms of scripts: none to five values and the script, with or without a result. Lambdas and
/// method references are converted to them; nobody needs to name them.
public final class ScriptHandlers {
  private ScriptHandlers() {}

  /// Accepts no value and the script, and returns a result.
  @FunctionalInterface
  public interface Script0<R> {
    R run(Script script) throws Exception;
  }

  /// Accepts no value and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct0 {
    void run(Script script) throws Exception;
  }

  /// Accepts one value and the script, and returns a result.
  @FunctionalInterface
  public interface Script1<A, R> {
    R run(A a, Script script) throws Exception;
  }

  /// Accepts one value and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct1<A> {
    void run(A a, Script script) throws Exception;
  }

  /// Accepts two values and the script, and returns a result.
  @FunctionalInterface
  public interface Script2<A, B, R> {
    R run(A a, B b, Script script) throws Exception;
  }

  /// Accepts two values and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct2<A, B> {
    void run(A a, B b, Script script) throws Exception;
  }

  /// Accepts three values and the script, and returns a result.
  @FunctionalInterface
  public interface Script3<A, B, C, R> {
    R run(A a, B b, C c, Script script) throws Exception;
  }

  /// Accepts three values and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct3<A, B, C> {
    void run(A a, B b, C c, Script script) throws Exception;
  }

  /// Accepts four values and the script, and returns a result.
  @FunctionalInterface
  public interface Script4<A, B, C, D, R> {
    R run(A a, B b, C c, D d, Script script) throws Exception;
  }

  /// Accepts four values and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct4<A, B, C, D> {
    void run(A a, B b, C c, D d, Script script) throws Exception;
  }

  /// Accepts five values and the script, and returns a result.
  @FunctionalInterface
  public interface Script5<A, B, C, D, E, R> {
    R run(A a, B b, C c, D d, E e, Script script) throws Exception;
  }

  /// Accepts five values and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct5<A, B, C, D, E> {
    void run(A a, B b, C c, D d, E e, Script script) throws Exception;
  }
}
