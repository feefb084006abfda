package dev.damask.spring.ledger;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/// An application with one service and listeners of its transactions.
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class LedgerApplication {
  private final Queue<String> heard = new ConcurrentLinkedQueue<>();

  @Bean
  Ledger ledger(JdbcTemplate jdbc, ApplicationEventPublisher events) {
    return new Ledger(jdbc, events);
  }

  /// Returns the phases that listeners were called in.
  @Bean
  public Queue<String> heard() {
    return heard;
  }

  @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
  void before(Ledger.Paid paid) {
    heard.add("before " + paid.id());
  }

  @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
  void after(Ledger.Paid paid) {
    heard.add("after " + paid.id());
  }

  @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
  void completed(Ledger.Paid paid) {
    heard.add("completed " + paid.id());
  }
}
