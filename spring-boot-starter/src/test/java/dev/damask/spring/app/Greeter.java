package dev.damask.spring.app;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/// A bean whose methods are handlers.
@Component
public class Greeter {
  private final List<String> greeted = new CopyOnWriteArrayList<>();

  /// Greets somebody.
  public Greeting greet(Guest guest) {
    greeted.add(guest.name());
    return new Greeting("Hello, " + guest.name());
  }

  /// Reminds somebody.
  public void remind(Guest guest) {
    greeted.add("reminder for " + guest.name());
  }

  /// Returns what it did.
  public List<String> greeted() {
    return greeted;
  }

  /// Who is greeted.
  public record Guest(String name) {}

  /// What is said.
  public record Greeting(String text) {}

  /// The guest has answered.
  public record Answer(String text) {}
}
