package dev.damask.program;

import static dev.damask.term.Flow.call;
import static dev.damask.term.Flow.definition;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.task.Expression;
import dev.damask.task.Retry;
import dev.damask.task.TaskOptions;
import dev.damask.term.InstancePolicy;
import dev.damask.term.JoinPolicy;
import dev.damask.term.Limits;
import dev.damask.term.Place;
import dev.damask.term.Term;
import dev.damask.value.Context;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ProgramIdentityTest {
  /// What version 1 writes, or leaves out because it follows from the rest or is only for people. A
  /// new component must be written where it differs from its default, and is then added here.
  private static final String KNOWN =
      """
      Alternative(kind, places, millis, target)
      Arc(source, target, position)
      Await(alternatives)
      Branch(spawns, join)
      Choice(targets, guards, otherwise)
      Emission(kind, target, keys, values)
      Entry(name, unit, address, localPlaces)
      Fork(targets, guards, otherwise, policy, continuation)
      GroupJoin(target, need, kills, from, when)
      InstancePolicy(count, min, max, open, need, rest, collect)
      Instances(name, unit, policy, body, continuation)
      JoinPolicy(need, rest, shortage, merge)
      Kill(name, outcome)
      Limits(nodes, branches, callDepth, instances, openEffects, placeTokens, contextBytes, steps, \
      bufferedBytes, resultBytes)
      Net(mode, merge, nodes, arcs, startArcs, continuation)
      Node(id, kind, weights, k, cancels, abort, body, outgoing)
      Passing(keys, values, result)
      Place(name, external, lifetime, init)
      PlaceSlot(place, definition, slot)
      Processes(steps, joins, reach, continuation, free)
      Region(name, holds, marking, timeoutMillis, onTimeout, handler, undo, allow, listener, \
      continuation)
      Retry(max, delay, backoff, jitter, on, except)
      Run(tasks, addresses, next)
      Step(id, gate, valid, invalid)
      Task(name, text, function, template, handler, options, undo)
      TaskOptions(delivery, timeout, retry, result, key, cost, description, onExhausted, line)
      """;

  @Test
  void every_component_of_a_program_is_accounted_for() {
    List<Class<?>> types = new ArrayList<>(List.of(Pool.class.getPermittedSubclasses()));
    types.addAll(
        List.of(
            Pool.Alternative.class,
            InstancePolicy.class,
            JoinPolicy.class,
            Limits.class,
            Place.class,
            Retry.class,
            TaskOptions.class));

    String found =
        types.stream()
            .map(ProgramIdentityTest::describe)
            .sorted()
            .collect(Collectors.joining("\n", "", "\n"));

    assertThat(found).isEqualTo(KNOWN);
  }

  @Test
  void a_hash_written_by_version_1_is_computed_today() {
    Program program =
        Compiler.compile(
            workflow("frozen", effect("A").retry(Retry.exponential(3)))
                .withContext(
                    Context.of("n", 1, "d", new BigDecimal("1.50"))
                        .with("list", List.of("a", 2.5))));

    assertThat(program.hash()).hasToString("96d3875ffc5e70dc4d2450f38ef2cc5d");
  }

  @Test
  void limits_of_later_versions_count_only_where_they_are_not_the_usual_ones() {
    var flow = workflow("frozen", effect("A"));
    Limits usual = Limits.DEFAULT;
    ProgramHash hash = Compiler.compile(flow).hash();

    Limits same = usual.withBytes(usual.bufferedBytes(), usual.resultBytes());
    assertThat(Compiler.compile(flow.withLimits(same)).hash()).isEqualTo(hash);
    assertThat(
            Set.of(
                hash,
                Compiler.compile(flow.withLimits(usual.withBytes(1, usual.resultBytes()))).hash(),
                Compiler.compile(flow.withLimits(usual.withBytes(usual.bufferedBytes(), 1)))
                    .hash()))
        .hasSize(3);
  }

  @Test
  void arguments_and_results_of_calls_count_only_where_they_are_given() {
    var plain = workflow("frozen", call("F")).withDefinitions(definition("F", effect("A")));
    var same =
        workflow("frozen", new Term.Call("F", null, null))
            .withDefinitions(definition("F", effect("A")));
    assertThat(Compiler.compile(plain).hash())
        .isEqualTo(Compiler.compile(same).hash())
        .hasToString("3c418513a89dfae7db33850d3877f9c4");

    List<Term.Call> calls =
        List.of(
            call("F"),
            call("F").result("r"),
            call("F").with(arguments()),
            call("F").with(arguments("a", "1")),
            call("F").with(arguments("a", "1")).result("r"),
            call("F").with(arguments("a", "2")),
            call("F").with(arguments("a", "1", "b", "2")),
            call("F").with(arguments("a", "1, b:=2")),
            call("F").with(arguments("a", "1] result r")));
    assertThat(
            calls.stream()
                .map(each ->
                    Compiler.compile(
                            workflow("frozen", each).withDefinitions(definition("F", effect("A"))))
                        .hash())
                .distinct())
        .hasSize(calls.size());
  }

  private static SortedMap<String, Expression> arguments(String... pairs) {
    SortedMap<String, Expression> arguments = new TreeMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      arguments.put(pairs[i], Expression.named(pairs[i + 1], context -> 1));
    }
    return arguments;
  }

  private static String describe(Class<?> type) {
    return Stream.of(type.getRecordComponents())
        .map(RecordComponent::getName)
        .collect(Collectors.joining(", ", type.getSimpleName() + "(", ")"));
  }
}
