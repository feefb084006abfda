package dev.damask.effect;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Calls a handler in a transaction of the store and leaves the transaction open: the case commits
/// it. A handler that fails is rolled back. If the database was lost meanwhile, nothing has
/// happened, and the handler is called again with the same attempt.
public final class JoiningHandler implements EffectHandler {
  private static final Duration PAUSE_MIN = Duration.ofMillis(10);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(1);

  private final TransactionalHandler handler;
  private final TransactionScope scope;
  private final Function<EffectCall, EffectTransaction> opener;
  private final Map<Effect, EffectTransaction> open = new ConcurrentHashMap<>();

  /// @param opener begins a transaction; it may wait while the database is away
  public JoiningHandler(
      TransactionalHandler handler,
      TransactionScope scope,
      Function<EffectCall, EffectTransaction> opener) {
    this.handler = handler;
    this.scope = scope;
    this.opener = opener;
  }

  /// What a handler returned, with the transaction that it worked in.
  record Finished(@Nullable Object value, EffectTransaction transaction) {
    Finished with(@Nullable Object changed) {
      return new Finished(changed, transaction);
    }
  }

  @Override
  public Object call(EffectCall call) throws Exception {
    Duration pause = PAUSE_MIN;
    while (true) {
      EffectTransaction transaction = opener.apply(call);
      Finished finished = callOnce(call, transaction);
      if (finished != null) {
        return finished;
      }
      Thread.sleep(pause);
      pause = pause.multipliedBy(2).compareTo(PAUSE_MAX) < 0 ? pause.multipliedBy(2) : PAUSE_MAX;
    }
  }

  /// Returns null if the database was lost.
  private @Nullable Finished callOnce(EffectCall call, EffectTransaction transaction)
      throws Exception {
    open.put(call.effect(), transaction);
    boolean isFinished = false;
    try {
      AutoCloseable connection = transaction.connection();
      Object value = scope.call(connection, () -> handler.call(call, connection));
      transaction.finish();
      isFinished = true;
      return new Finished(value, transaction);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      if (!transaction.isLost() || Thread.currentThread().isInterrupted()) {
        throw e;
      }
      System.getLogger(JoiningHandler.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "{0} lost its transaction and is called again: {1}",
              call,
              e.toString());
      return null;
    } finally {
      open.remove(call.effect());
      if (!isFinished) {
        transaction.rollback();
      }
    }
  }

  @Override
  public void cancel(EffectCall call) {
    EffectTransaction transaction = open.get(call.effect());
    if (transaction != null) {
      transaction.abort();
    }
    handler.cancel(call);
  }

  @Override
  public void hand(EffectCall call, EffectResult result, Runnable report) {
    handler.hand(call, result, report);
  }

  @Override
  public boolean takesSecrets() {
    return handler.takesSecrets();
  }

  @Override
  public boolean isCpuBound() {
    return handler.isCpuBound();
  }
}
