package dev.damask.spring.ledger;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/// A service of the application that knows nothing of Damask.
public class Ledger {
  private static final String INSERT = "insert into payment (id, attempt) values (?, ?)";

  private final JdbcTemplate jdbc;
  private final ApplicationEventPublisher events;

  /// Creates the service.
  public Ledger(JdbcTemplate jdbc, ApplicationEventPublisher events) {
    this.jdbc = jdbc;
    this.events = events;
  }

  /// Writes a row without asking for a transaction.
  public void write(String id, int attempt) {
    jdbc.update(INSERT, id, attempt);
  }

  /// Writes a row in the caller's transaction.
  @Transactional
  public void join(String id, int attempt) {
    write(id, attempt);
    events.publishEvent(new Paid(id));
  }

  /// Writes a row in the caller's transaction and fails.
  @Transactional
  public void joinAndFail(String id, int attempt) {
    write(id, attempt);
    throw new IllegalStateException("no money");
  }

  /// Writes a row in a transaction of its own.
  @Transactional(propagation = Propagation.REQUIRES_NEW)
  public void leave(String id, int attempt) {
    write(id, attempt);
  }

  /// Writes a row inside of a savepoint and fails.
  @Transactional(propagation = Propagation.NESTED)
  public void nestAndFail(String id, int attempt) {
    write(id, attempt);
    throw new IllegalStateException("not this part");
  }

  /// What happened.
  public record Paid(String id) {}
}
