package dev.damask.spring.ledger;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/// A row that handlers write, as an entity.
@Entity
@Table(name = "payment")
public class Payment {
  @Id private String id = "";
  private int attempt;

  /// For the entity manager.
  protected Payment() {}

  /// Creates a payment.
  public Payment(String id, int attempt) {
    this.id = id;
    this.attempt = attempt;
  }

  /// Returns the attempt that paid.
  public int attempt() {
    return attempt;
  }
}
