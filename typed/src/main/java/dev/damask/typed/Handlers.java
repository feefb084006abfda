package dev.damask.typed;

import dev.damask.effect.EffectCall;
import java.sql.Connection;

/// The forms of handlers: none to five values, with or without the call, with or without a result.
/// Method references and lambdas are converted to them; user code need not name them.
public final class Handlers {
  private Handlers() {}

  /// Accepts no value and returns a result.
  @FunctionalInterface
  public interface Returns0<R> {
    /// Calls the handler. An exception fails the attempt.
    R call() throws Exception;
  }

  /// Accepts no value and the call, and returns a result.
  @FunctionalInterface
  public interface ReturnsWithCall0<R> {
    /// Calls the handler. An exception fails the attempt.
    R call(EffectCall call) throws Exception;
  }

  /// Accepts no value and returns nothing.
  @FunctionalInterface
  public interface Acts0 {
    /// Calls the handler. An exception fails the attempt.
    void call() throws Exception;
  }

  /// Accepts no value and the call, and returns nothing.
  @FunctionalInterface
  public interface ActsWithCall0 {
    /// Calls the handler. An exception fails the attempt.
    void call(EffectCall call) throws Exception;
  }

  /// Accepts one value and returns a result.
  @FunctionalInterface
  public interface Returns1<A, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a) throws Exception;
  }

  /// Accepts one value and the call, and returns a result.
  @FunctionalInterface
  public interface ReturnsWithCall1<A, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, EffectCall call) throws Exception;
  }

  /// Accepts one value and returns nothing.
  @FunctionalInterface
  public interface Acts1<A> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a) throws Exception;
  }

  /// Accepts one value and the call, and returns nothing.
  @FunctionalInterface
  public interface ActsWithCall1<A> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, EffectCall call) throws Exception;
  }

  /// Accepts two values and returns a result.
  @FunctionalInterface
  public interface Returns2<A, B, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b) throws Exception;
  }

  /// Accepts two values and the call, and returns a result.
  @FunctionalInterface
  public interface ReturnsWithCall2<A, B, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, EffectCall call) throws Exception;
  }

  /// Accepts two values and returns nothing.
  @FunctionalInterface
  public interface Acts2<A, B> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b) throws Exception;
  }

  /// Accepts two values and the call, and returns nothing.
  @FunctionalInterface
  public interface ActsWithCall2<A, B> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, EffectCall call) throws Exception;
  }

  /// Accepts three values and returns a result.
  @FunctionalInterface
  public interface Returns3<A, B, C, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c) throws Exception;
  }

  /// Accepts three values and the call, and returns a result.
  @FunctionalInterface
  public interface ReturnsWithCall3<A, B, C, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, EffectCall call) throws Exception;
  }

  /// Accepts three values and returns nothing.
  @FunctionalInterface
  public interface Acts3<A, B, C> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c) throws Exception;
  }

  /// Accepts three values and the call, and returns nothing.
  @FunctionalInterface
  public interface ActsWithCall3<A, B, C> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, EffectCall call) throws Exception;
  }

  /// Accepts four values and returns a result.
  @FunctionalInterface
  public interface Returns4<A, B, C, D, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d) throws Exception;
  }

  /// Accepts four values and the call, and returns a result.
  @FunctionalInterface
  public interface ReturnsWithCall4<A, B, C, D, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d, EffectCall call) throws Exception;
  }

  /// Accepts four values and returns nothing.
  @FunctionalInterface
  public interface Acts4<A, B, C, D> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, D d) throws Exception;
  }

  /// Accepts four values and the call, and returns nothing.
  @FunctionalInterface
  public interface ActsWithCall4<A, B, C, D> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, D d, EffectCall call) throws Exception;
  }

  /// Accepts five values and returns a result.
  @FunctionalInterface
  public interface Returns5<A, B, C, D, E, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d, E e) throws Exception;
  }

  /// Accepts five values and the call, and returns a result.
  @FunctionalInterface
  public interface ReturnsWithCall5<A, B, C, D, E, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d, E e, EffectCall call) throws Exception;
  }

  /// Accepts five values and returns nothing.
  @FunctionalInterface
  public interface Acts5<A, B, C, D, E> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, D d, E e) throws Exception;
  }

  /// Accepts five values and the call, and returns nothing.
  @FunctionalInterface
  public interface ActsWithCall5<A, B, C, D, E> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, D d, E e, EffectCall call) throws Exception;
  }

  /// Accepts one value and a connection, and returns a result.
  @FunctionalInterface
  public interface Transacts1<A, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, Connection connection) throws Exception;
  }

  /// Accepts one value, the call and a connection, and returns a result.
  @FunctionalInterface
  public interface TransactsWithCall1<A, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, EffectCall call, Connection connection) throws Exception;
  }

  /// Computes a result from one value inside the machine.
  @FunctionalInterface
  public interface Computes1<A, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a);
  }

  /// Accepts two values and a connection, and returns a result.
  @FunctionalInterface
  public interface Transacts2<A, B, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, Connection connection) throws Exception;
  }

  /// Accepts two values, the call and a connection, and returns a result.
  @FunctionalInterface
  public interface TransactsWithCall2<A, B, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, EffectCall call, Connection connection) throws Exception;
  }

  /// Computes a result from two values inside the machine.
  @FunctionalInterface
  public interface Computes2<A, B, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b);
  }

  /// Accepts three values and a connection, and returns a result.
  @FunctionalInterface
  public interface Transacts3<A, B, C, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, Connection connection) throws Exception;
  }

  /// Accepts three values, the call and a connection, and returns a result.
  @FunctionalInterface
  public interface TransactsWithCall3<A, B, C, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, EffectCall call, Connection connection) throws Exception;
  }

  /// A condition on three values.
  @FunctionalInterface
  public interface Tests3<A, B, C> {
    /// Returns whether the condition is true.
    boolean test(A a, B b, C c);
  }

  /// Computes a result from three values inside the machine.
  @FunctionalInterface
  public interface Computes3<A, B, C, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c);
  }

  /// Accepts four values and a connection, and returns a result.
  @FunctionalInterface
  public interface Transacts4<A, B, C, D, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d, Connection connection) throws Exception;
  }

  /// Accepts four values, the call and a connection, and returns a result.
  @FunctionalInterface
  public interface TransactsWithCall4<A, B, C, D, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d, EffectCall call, Connection connection) throws Exception;
  }

  /// Computes a result from four values inside the machine.
  @FunctionalInterface
  public interface Computes4<A, B, C, D, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d);
  }

  /// Accepts five values and a connection, and returns a result.
  @FunctionalInterface
  public interface Transacts5<A, B, C, D, E, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d, E e, Connection connection) throws Exception;
  }

  /// Accepts five values, the call and a connection, and returns a result.
  @FunctionalInterface
  public interface TransactsWithCall5<A, B, C, D, E, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d, E e, EffectCall call, Connection connection) throws Exception;
  }

  /// Computes a result from five values inside the machine.
  @FunctionalInterface
  public interface Computes5<A, B, C, D, E, R> {
    /// Calls the handler. An exception fails the attempt.
    R call(A a, B b, C c, D d, E e);
  }

  /// Accepts one value and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActs1<A> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, Connection connection) throws Exception;
  }

  /// Accepts one value, the call and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActsWithCall1<A> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, EffectCall call, Connection connection) throws Exception;
  }

  /// Accepts two values and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActs2<A, B> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, Connection connection) throws Exception;
  }

  /// Accepts two values, the call and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActsWithCall2<A, B> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, EffectCall call, Connection connection) throws Exception;
  }

  /// Accepts three values and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActs3<A, B, C> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, Connection connection) throws Exception;
  }

  /// Accepts three values, the call and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActsWithCall3<A, B, C> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, EffectCall call, Connection connection) throws Exception;
  }

  /// Accepts four values and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActs4<A, B, C, D> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, D d, Connection connection) throws Exception;
  }

  /// Accepts four values, the call and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActsWithCall4<A, B, C, D> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, D d, EffectCall call, Connection connection) throws Exception;
  }

  /// Accepts five values and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActs5<A, B, C, D, E> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, D d, E e, Connection connection) throws Exception;
  }

  /// Accepts five values, the call and the connection, and returns nothing.
  @FunctionalInterface
  public interface TransactActsWithCall5<A, B, C, D, E> {
    /// Calls the handler. An exception fails the attempt.
    void call(A a, B b, C c, D d, E e, EffectCall call, Connection connection) throws Exception;
  }
}
