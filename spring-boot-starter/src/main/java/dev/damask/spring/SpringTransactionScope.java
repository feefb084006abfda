package dev.damask.spring;

import dev.damask.effect.TransactionScope;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/// Runs a handler in a Spring transaction on the connection of its step. The application's
/// transaction manager begins and completes that transaction, so whatever it manages joins:
/// `JdbcTemplate`, `@Transactional` methods, entity managers, which it flushes. The engine commits
/// afterwards, together with the case.
final class SpringTransactionScope implements TransactionScope {
  private final PlatformTransactionManager manager;
  private final DataSource source;

  /// @param source the engine's data source, which [StepDataSources] has prepared
  SpringTransactionScope(PlatformTransactionManager manager, DataSource source) {
    this.manager = manager;
    this.source = source;
  }

  @Override
  public @Nullable Object call(AutoCloseable connection, Callable<@Nullable Object> handler)
      throws Exception {
    StepConnection step = new StepConnection((Connection) connection);
    TransactionStatus status = begin(step);
    boolean isDone = false;
    try {
      requireJoined(step);
      step.setManaged(false);
      Object result = handler.call();
      step.setManaged(true);
      if (status.isRollbackOnly()) {
        throw new UnexpectedRollbackException(
            "a part of the handler has marked the transaction as rollback-only");
      }
      List<TransactionSynchronization> waiting = beforeCommit();
      isDone = true; // the manager completes the transaction even if its commit fails
      complete(status, waiting);
      return result;
    } finally {
      if (!isDone) {
        step.setManaged(true);
        manager.rollback(status);
      }
    }
  }

  private TransactionStatus begin(StepConnection step) {
    return ScopedValue.where(StepDataSources.OFFER, new StepDataSources.Offer(source, step))
        .call(() -> {
          DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
          definition.setName("damask step");
          TransactionStatus begun = manager.getTransaction(definition);
          if (TransactionSynchronizationManager.getResource(source)
              instanceof ConnectionHolder holder) {
            holder
                .getConnection(); // an entity manager may connect late, and then without the offer
          }
          return begun;
        });
  }

  private void requireJoined(StepConnection step) {
    if (!step.isTaken()) {
      throw new IllegalStateException(
          "damask.store: transaction manager %s does not begin its transactions on the engine's"
                  .formatted(manager.getClass().getSimpleName())
              + " DataSource; declare one that does as the primary bean");
    }
  }

  /// Calls what waits for the commit and returns it. Nothing runs as after a commit here: the case
  /// has yet to commit.
  private static List<TransactionSynchronization> beforeCommit() {
    if (!TransactionSynchronizationManager.isSynchronizationActive()) {
      return List.of();
    }
    TransactionSynchronizationUtils.triggerBeforeCommit(false);
    TransactionSynchronizationUtils.triggerBeforeCompletion();
    List<TransactionSynchronization> waiting =
        List.copyOf(TransactionSynchronizationManager.getSynchronizations());
    TransactionSynchronizationManager.clearSynchronization();
    TransactionSynchronizationManager.initSynchronization();
    return waiting;
  }

  private void complete(TransactionStatus status, List<TransactionSynchronization> waiting) {
    try {
      manager.commit(status); // flushes entity managers; the step's connection does not commit
    } finally {
      TransactionSynchronizationUtils.invokeAfterCompletion(
          waiting, TransactionSynchronization.STATUS_UNKNOWN);
    }
  }
}
