package dev.damask.spring.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.spring.app.Greeter.Answer;
import dev.damask.spring.app.Greeter.Greeting;
import dev.damask.spring.app.Greeter.Guest;
import dev.damask.spring.test.DamaskTest;
import dev.damask.spring.test.VirtualTime;
import dev.damask.term.Workflow;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

/// A test as a user of the starter writes it.
@DamaskTest
@Import(Greeter.class)
class GreetingsTest {
  @Autowired private Engine engine;
  @Autowired private VirtualTime time;
  @Autowired private Workflow<Guest, Greeting> greet;
  @Autowired private Greeter greeter;
  @Autowired private ApplicationContext context;

  @Test
  void a_guest_who_does_not_answer_is_reminded_after_a_day() {
    Instant before = time.now();
    var run = engine.start(greet, "ada", new Guest("Ada"));

    time.advance(Duration.ofHours(23));
    assertThat(greeter.greeted()).containsExactly("Ada");

    time.advance(Duration.ofHours(1));
    assertThat(greeter.greeted()).containsExactly("Ada", "reminder for Ada");
    assertThat(run.join()).isEqualTo(new Greeting("Hello, Ada"));
    assertThat(time.now()).isEqualTo(before.plus(Duration.ofDays(1)));
    greeter.greeted().clear();
  }

  @Test
  void a_guest_who_answers_is_left_alone() {
    var run = engine.start(greet, "bob", new Guest("Bob"));
    time.rest();
    run.signal(Greetings.ANSWERED, new Answer("Hello"));

    time.advance(Duration.ofDays(3));

    assertThat(greeter.greeted()).containsExactly("Bob");
    greeter.greeted().clear();
  }

  @Test
  void the_slice_leaves_other_components_out() {
    assertThat(context.getBeansOfType(Other.class)).isEmpty();
  }

  /// A component that no workflow needs.
  @org.springframework.stereotype.Component
  static class Other {}
}
