package dev.damask.spring.app;

import static dev.damask.typed.Steps.action;
import static dev.damask.typed.Steps.after;
import static dev.damask.typed.Steps.defer;
import static dev.damask.typed.Steps.effect;
import static dev.damask.typed.Steps.on;
import static dev.damask.typed.Steps.skip;
import static dev.damask.typed.Steps.workflow;

import dev.damask.spring.WorkflowConfiguration;
import dev.damask.spring.app.Greeter.Answer;
import dev.damask.spring.app.Greeter.Greeting;
import dev.damask.spring.app.Greeter.Guest;
import dev.damask.term.Signal;
import dev.damask.term.Workflow;
import dev.damask.value.Key;
import java.time.Duration;
import org.springframework.context.annotation.Bean;

/// The workflows of the application.
@WorkflowConfiguration
public class Greetings {
  /// The input.
  public static final Key<Guest> GUEST = Key.of(Guest.class);

  /// The result.
  public static final Key<Greeting> GREETING = Key.of(Greeting.class);

  /// What the workflow waits for.
  public static final Signal<Answer> ANSWERED = Signal.of("answered", Answer.class);

  @Bean
  Workflow<Guest, Greeting> greet(Greeter greeter) {
    return workflow(
        "greet",
        GUEST,
        GREETING,
        effect("greet", GUEST, greeter::greet).as(GREETING),
        defer(
            on(ANSWERED, skip()),
            after(Duration.ofDays(1), action("remind", GUEST, greeter::remind))));
  }
}
