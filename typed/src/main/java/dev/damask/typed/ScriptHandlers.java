package dev.damask.typed;

/// The forms of scripts: none to five values and the script, with or without a result. Lambdas and
/// method references are converted to them; user code need not name them.
public final class ScriptHandlers {
  private ScriptHandlers() {}

  /// Accepts no value and the script, and returns a result.
  @FunctionalInterface
  public interface Script0<R> {
    /// Runs the script from its beginning. An exception fails its task.
    R run(Script script) throws Exception;
  }

  /// Accepts no value and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct0 {
    /// Runs the script from its beginning. An exception fails its task.
    void run(Script script) throws Exception;
  }

  /// Accepts one value and the script, and returns a result.
  @FunctionalInterface
  public interface Script1<A, R> {
    /// Runs the script from its beginning. An exception fails its task.
    R run(A a, Script script) throws Exception;
  }

  /// Accepts one value and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct1<A> {
    /// Runs the script from its beginning. An exception fails its task.
    void run(A a, Script script) throws Exception;
  }

  /// Accepts two values and the script, and returns a result.
  @FunctionalInterface
  public interface Script2<A, B, R> {
    /// Runs the script from its beginning. An exception fails its task.
    R run(A a, B b, Script script) throws Exception;
  }

  /// Accepts two values and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct2<A, B> {
    /// Runs the script from its beginning. An exception fails its task.
    void run(A a, B b, Script script) throws Exception;
  }

  /// Accepts three values and the script, and returns a result.
  @FunctionalInterface
  public interface Script3<A, B, C, R> {
    /// Runs the script from its beginning. An exception fails its task.
    R run(A a, B b, C c, Script script) throws Exception;
  }

  /// Accepts three values and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct3<A, B, C> {
    /// Runs the script from its beginning. An exception fails its task.
    void run(A a, B b, C c, Script script) throws Exception;
  }

  /// Accepts four values and the script, and returns a result.
  @FunctionalInterface
  public interface Script4<A, B, C, D, R> {
    /// Runs the script from its beginning. An exception fails its task.
    R run(A a, B b, C c, D d, Script script) throws Exception;
  }

  /// Accepts four values and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct4<A, B, C, D> {
    /// Runs the script from its beginning. An exception fails its task.
    void run(A a, B b, C c, D d, Script script) throws Exception;
  }

  /// Accepts five values and the script, and returns a result.
  @FunctionalInterface
  public interface Script5<A, B, C, D, E, R> {
    /// Runs the script from its beginning. An exception fails its task.
    R run(A a, B b, C c, D d, E e, Script script) throws Exception;
  }

  /// Accepts five values and the script, and returns nothing.
  @FunctionalInterface
  public interface ScriptAct5<A, B, C, D, E> {
    /// Runs the script from its beginning. An exception fails its task.
    void run(A a, B b, C c, D d, E e, Script script) throws Exception;
  }
}
