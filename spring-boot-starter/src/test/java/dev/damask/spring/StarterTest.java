package dev.damask.spring;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.effect.EffectHandler;
import dev.damask.history.HistoryPolicy;
import dev.damask.history.JournalMode;
import dev.damask.micrometer.EngineMetrics;
import dev.damask.spring.app.Greeter;
import dev.damask.spring.app.Greeter.Answer;
import dev.damask.spring.app.Greeter.Greeting;
import dev.damask.spring.app.Greeter.Guest;
import dev.damask.spring.app.GreetingApplication;
import dev.damask.spring.app.Greetings;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.term.Workflow;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.ResolvableType;

final class StarterTest {
  @TempDir Path directory;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  DamaskAutoConfiguration.class,
                  DamaskHealthAutoConfiguration.class,
                  DamaskMetricsAutoConfiguration.class));

  private ApplicationContextRunner stored() {
    return runner
        .withUserConfiguration(GreetingApplication.class)
        .withPropertyValues("damask.store=" + directory.resolve("cases"));
  }

  @SuppressWarnings("unchecked") // the application has one workflow of these types
  private static Workflow<Guest, Greeting> workflow(
      org.springframework.context.ApplicationContext context) {
    var type = ResolvableType.forClassWithGenerics(Workflow.class, Guest.class, Greeting.class);
    return (Workflow<Guest, Greeting>) context.getBeanProvider(type).getObject();
  }

  @Test
  void a_case_continues_in_the_next_life_of_the_application() {
    stored()
        .run(context -> {
          Engine engine = context.getBean(Engine.class);
          engine.start(workflow(context), "ada", new Guest("Ada"));
        });

    stored()
        .run(context -> {
          var run = context.getBean(Engine.class).run(workflow(context), "ada");
          run.signal(Greetings.ANSWERED, new Answer("Hello"));
          assertThat(run.join()).isEqualTo(new Greeting("Hello, Ada"));
          assertThat(context.getBean(Greeter.class).greeted()).doesNotContain("reminder");
        });
  }

  @Test
  void properties_become_options_and_customizers_have_the_last_word() {
    runner
        .withPropertyValues(
            "damask.store=memory",
            "damask.shards=3",
            "damask.grace=2s",
            "damask.retention=30d",
            "damask.calls-max=7",
            "damask.time-limit=1m",
            "damask.trace=full",
            "damask.journal=none",
            "damask.history.revisions-max=500",
            "damask.history.bytes-max=1MB")
        .withBean(
            EngineOptionsCustomizer.class,
            () -> options -> options.withGrace(Duration.ofSeconds(9)))
        .run(context -> {
          EngineOptions options = context.getBean(EngineOptions.class);
          assertThat(options.shards()).isEqualTo(3);
          assertThat(options.grace()).isEqualTo(Duration.ofSeconds(9));
          assertThat(options.retention()).isEqualTo(Duration.ofDays(30));
          assertThat(options.callsMax("any")).isEqualTo(7);
          assertThat(options.timeLimit("any")).hasValue(Duration.ofMinutes(1));
          assertThat(options.traceLevel().name()).isEqualTo("FULL");
          assertThat(options.journal()).isEqualTo(JournalMode.NONE);
          assertThat(options.history())
              .isEqualTo(HistoryPolicy.ALL.withRevisionsMax(500).withBytesMax(1 << 20));
        });
    runner
        .withPropertyValues("damask.store=memory", "damask.history.keep=last")
        .run(context ->
            assertThat(context.getBean(EngineOptions.class).history())
                .isEqualTo(HistoryPolicy.LAST));
  }

  @ParameterizedTest
  @CsvSource({
    "damask.history.revisions-max=0, 'damask.history.revisions-max must be positive, got 0'",
    "damask.history.bytes-max=-1B, 'damask.history.bytes-max must be positive, got -1B'",
    "damask.history.revisions-max=5, damask.history.revisions-max has no effect with"
  })
  void a_bound_of_the_history_that_is_wrong_is_refused_with_its_property(
      String property, String sentence) {
    String keep = sentence.contains("no effect") ? "last" : "all";
    runner
        .withPropertyValues("damask.store=memory", "damask.history.keep=" + keep, property)
        .run(context -> assertThat(context).getFailure().hasStackTraceContaining(sentence));
  }

  @Test
  void a_bean_that_is_a_handler_handles_the_effect_type_of_its_name() {
    WorkflowDefinition ask = workflowOf("ask");
    runner
        .withPropertyValues("damask.store=memory")
        .withBean("ask", EffectHandler.class, () -> call -> Context.of("answer", call.caseId()))
        .withBean(WorkflowDefinition.class, () -> ask)
        .run(context -> {
          var run = context.getBean(Engine.class).start(ask, "one", Context.empty());
          assertThat(run.join().get("answer")).isEqualTo("one");
        });
  }

  private static WorkflowDefinition workflowOf(String effect) {
    return dev.damask.term.Flow.workflow(effect, effect(effect));
  }

  @Test
  void a_store_that_is_neither_a_directory_nor_memory_is_refused_with_its_property() {
    runner
        .withPropertyValues("damask.store=mysql://somewhere")
        .run(context ->
            assertThat(context)
                .getFailure()
                .hasStackTraceContaining("damask.store: 'mysql://somewhere' is not a directory"));
  }

  @Test
  void a_store_bean_is_used_instead_of_the_property() {
    var own = new MemoryStore();
    WorkflowDefinition flow = workflowOf("none");
    runner
        .withBean(Store.class, () -> own)
        .withBean(WorkflowDefinition.class, () -> flow)
        .run(context -> {
          context.getBean(Engine.class).start(flow, "one", Context.empty());
          assertThat(own.record("one")).isPresent();
        });
  }

  @Test
  void an_application_may_do_without_an_engine() {
    runner
        .withPropertyValues("damask.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(Engine.class));
  }

  @Test
  void health_is_up_while_the_engine_works_and_down_when_its_store_broke() {
    var broken = new BreakingStore();
    WorkflowDefinition flow = workflowOf("none");
    runner
        .withBean(Store.class, () -> broken.store())
        .withBean(WorkflowDefinition.class, () -> flow)
        .run(context -> {
          var indicator = context.getBean(DamaskHealthIndicator.class);
          assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
          assertThat(indicator.health().getDetails()).containsEntry("openCalls", 0L);

          broken.breakDown();
          context
              .getBean(Engine.class)
              .startAsync(flow, "one", Context.empty())
              .handle((_, _) -> true)
              .join();

          Health health = indicator.health();
          assertThat(health.getStatus()).isEqualTo(Status.DOWN);
          assertThat(health.getDetails().get("reason")).asString().contains("disk is gone");
        });
  }

  @Test
  @Timeout(60)
  void a_handler_that_runs_when_the_application_stops_finishes_and_is_not_called_again() {
    var begun = new CountDownLatch(1);
    var closing = new CountDownLatch(1);
    var calls = new AtomicInteger();
    WorkflowDefinition flow = workflowOf("slow");
    ApplicationContextRunner slow =
        runner
            .withPropertyValues("damask.store=" + directory.resolve("slow"), "damask.grace=30s")
            .withBean(WorkflowDefinition.class, () -> flow)
            .withBean(
                "slow",
                EffectHandler.class,
                () ->
                    _ -> {
                      calls.incrementAndGet();
                      begun.countDown();
                      closing.await();
                      return Context.of("done", true);
                    });
    slow.run(context -> {
      context.addApplicationListener(event -> {
        if (event instanceof ContextClosedEvent) {
          closing.countDown(); // the handler ends while the application stops, never before
        }
      });
      context.getBean(Engine.class).start(flow, "one", Context.empty());
      begun.await();
    });

    slow.run(context ->
        assertThat(context.getBean(Engine.class).run("one").join().get("done")).isEqualTo(true));
    assertThat(calls).hasValue(1);
  }

  @Test
  void the_figures_of_the_engine_are_bound_to_the_registry() {
    runner
        .withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class))
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .withPropertyValues("damask.store=memory")
        .run(context -> {
          assertThat(context).hasSingleBean(EngineMetrics.class);
          MeterRegistry registry = context.getBean(MeterRegistry.class);
          assertThat(registry.get("damask.cases.started").functionCounter().count()).isZero();
        });
  }
}
