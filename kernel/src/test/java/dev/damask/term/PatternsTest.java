package dev.damask.term;

import static dev.damask.term.Flow.arc;
import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.graph;
import static dev.damask.term.Flow.node;
import static dev.damask.term.Flow.on;
import static dev.damask.term.Flow.otherwise;
import static dev.damask.term.Flow.otherwiseTo;
import static dev.damask.term.Flow.scope;
import static dev.damask.term.Flow.seq;
import static dev.damask.term.Flow.skip;
import static dev.damask.term.Flow.task;
import static dev.damask.term.Flow.to;
import static dev.damask.term.Flow.toAll;
import static dev.damask.term.Flow.toFirst;
import static dev.damask.term.Flow.when;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.event.Status;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.task.Expression;
import dev.damask.task.Guard;
import dev.damask.trace.Recorder;
import dev.damask.trace.TraceLevel;
import dev.damask.value.Context;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PatternsTest {
  private static final Term A = task("a", context -> context);
  private static final Term B = task("b", context -> context);
  private static final Term C = task("c", context -> context);
  private static final Guard YES = Guard.named("yes", context -> true);
  private static final Guard NO = Guard.named("no", context -> false);
  private static final Expression TWO = Expression.constant(2);
  private static final List<String> PQ = List.of("p", "q");

  /// The number of each pattern by the name of its method, read from the comments.
  private static Map<String, Integer> numbers() throws IOException {
    String source = Files.readString(Path.of("src/main/java/dev/damask/term/Patterns.java"));
    Matcher matcher =
        Pattern.compile("/// WCP-(\\d+):[^;{]*?public static \\w+ (\\w+)\\(", Pattern.DOTALL)
            .matcher(source.replaceAll("(///[^\n]*);", "$1,"));
    Map<String, Integer> numbers = new LinkedHashMap<>();
    while (matcher.find()) {
      numbers.put(matcher.group(2), Integer.parseInt(matcher.group(1)));
    }
    return numbers;
  }

  private static List<String> methods() {
    return Arrays.stream(Patterns.class.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .map(Method::getName)
        .toList();
  }

  @Test
  void there_is_exactly_one_public_method_for_each_of_the_43_patterns() throws IOException {
    assertThat(methods()).hasSize(43).doesNotHaveDuplicates();
    assertThat(numbers().keySet()).containsExactlyInAnyOrderElementsOf(methods());
    assertThat(numbers().values())
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 43).boxed().toList());
  }

  @Test
  void each_number_occurs_once_in_the_source() throws IOException {
    String source = Files.readString(Path.of("src/main/java/dev/damask/term/Patterns.java"));

    for (int i = 1; i <= 43; i++) {
      assertThat(source.split("WCP-" + i + ":", -1)).as("WCP-%s", i).hasSize(2);
    }
  }

  /// A workflow for each pattern that runs to its end, or to its first wait, by itself.
  private static Map<String, Term> examples() {
    Map<String, Term> all = new TreeMap<>();
    all.put("sequence", Patterns.sequence(A, B));
    all.put("parallelSplit", Patterns.parallelSplit(A, B));
    all.put("synchronization", Patterns.synchronization(A, B));
    all.put("exclusiveChoice", Patterns.exclusiveChoice(when(YES, A), otherwise(B)));
    all.put("simpleMerge", Patterns.simpleMerge(C, when(NO, A), otherwise(B)));
    all.put("multiChoice", Patterns.multiChoice(when(YES, A), when(NO, B)));
    all.put(
        "structuredSynchronizingMerge",
        Patterns.structuredSynchronizingMerge(when(YES, A), when(NO, B)));
    all.put("multiMerge", Patterns.multiMerge(C, A, B));
    all.put("structuredDiscriminator", Patterns.structuredDiscriminator(A, B));
    all.put(
        "arbitraryCycles",
        Patterns.arbitraryCycles(to("p"), node("p", A, toFirst(arc(NO, "p"), otherwiseTo("end")))));
    all.put("implicitTermination", Patterns.implicitTermination(A, B));
    all.put(
        "multipleInstancesWithoutSynchronization",
        Patterns.multipleInstancesWithoutSynchronization("m", TWO, A));
    all.put(
        "multipleInstancesWithDesignTimeKnowledge",
        Patterns.multipleInstancesWithDesignTimeKnowledge("m", 2, A));
    all.put(
        "multipleInstancesWithRunTimeKnowledge",
        Patterns.multipleInstancesWithRunTimeKnowledge("m", TWO, A));
    all.put(
        "multipleInstancesWithoutRunTimeKnowledge",
        Patterns.multipleInstancesWithoutRunTimeKnowledge("m", TWO, A));
    all.put("deferredChoice", Patterns.deferredChoice(on("p", A), on("q", B)));
    all.put(
        "interleavedParallelRouting",
        Patterns.interleavedParallelRouting("x", List.of(List.of(A, B), List.of(C))));
    all.put("milestone", Patterns.milestone("x", A, B));
    all.put("cancelTask", Patterns.cancelTask(effect("A")));
    all.put("cancelCase", Patterns.cancelCase());
    all.put("structuredLoop", Patterns.structuredLoop(NO, A));
    all.put("recursion", Patterns.recursion("F"));
    all.put("transientTrigger", Patterns.transientTrigger("t", A));
    all.put("persistentTrigger", Patterns.persistentTrigger("x", A));
    all.put("cancelRegion", scope("r", A, Patterns.cancelRegion("r"), B));
    Term endless = seq(Flow.take("never"), A);
    all.put(
        "cancelMultipleInstances",
        Flow.par(
            Patterns.multipleInstancesWithDesignTimeKnowledge("m", 2, endless),
            Patterns.cancelMultipleInstances("m")));
    all.put(
        "completeMultipleInstances",
        Flow.par(
            Patterns.multipleInstancesWithDesignTimeKnowledge("m", 2, endless),
            Patterns.completeMultipleInstances("m")));
    all.put("cancellingDiscriminator", Patterns.cancellingDiscriminator(A, B));
    all.put("structuredPartialJoin", Patterns.structuredPartialJoin(2, A, B, C));
    all.put("cancellingPartialJoin", Patterns.cancellingPartialJoin(2, A, B, C));
    all.put(
        "staticPartialJoinForMultipleInstances",
        Patterns.staticPartialJoinForMultipleInstances("m", TWO, 1, A));
    all.put(
        "cancellingPartialJoinForMultipleInstances",
        Patterns.cancellingPartialJoinForMultipleInstances("m", TWO, 1, A));
    all.put(
        "dynamicPartialJoinForMultipleInstances",
        Patterns.dynamicPartialJoinForMultipleInstances(
            "m", TWO, new InstancePolicy.Need.When((done, total, results) -> done > 0), A));
    all.put("criticalSection", Patterns.criticalSection("s", "x", A));
    all.put("interleavedRouting", Patterns.interleavedRouting("x", A, B));
    all.put("explicitTermination", Patterns.explicitTermination(A, B));
    all.put("blockingDiscriminator", meet(Patterns.blockingDiscriminator("j", PQ, C, to("end"))));
    all.put("blockingPartialJoin", meet(Patterns.blockingPartialJoin("j", 2, PQ, C, to("end"))));
    all.put("generalisedAndJoin", meet(Patterns.generalisedAndJoin("j", PQ, C, to("end"))));
    all.put(
        "localSynchronizingMerge", meet(Patterns.localSynchronizingMerge("j", PQ, C, to("end"))));
    all.put(
        "generalSynchronizingMerge",
        meet(Patterns.generalSynchronizingMerge("j", PQ, C, to("end"))));
    Term threads =
        graph(
            Patterns.threadSplit(3, "p"),
            node("p", A, to("j")),
            Patterns.threadMerge("j", "p", 3, C, to("end")));
    all.put("threadSplit", threads);
    all.put("threadMerge", threads);
    return all;
  }

  private static Term meet(Node join) {
    return graph(toAll("p", "q"), node("p", A, to("j")), node("q", B, to("j")), join);
  }

  @Test
  void every_pattern_compiles_and_runs() {
    Map<String, Status> odd = new TreeMap<>();
    odd.put("deferredChoice", Status.WAITING);
    odd.put("cancelTask", Status.WAITING);
    odd.put("transientTrigger", Status.WAITING);
    odd.put("cancelCase", Status.CANCELLED);
    odd.put("cancelRegion", Status.CANCELLED);
    odd.put("cancelMultipleInstances", Status.CANCELLED);

    Map<String, Term> examples = examples();
    assertThat(examples.keySet()).containsExactlyInAnyOrderElementsOf(methods());
    examples.forEach((name, term) -> {
      WorkflowDefinition whole =
          workflow("w", term)
              .withPlaces(
                  Place.mutex("x"), Place.trigger("t"), Place.external("p"), Place.external("q"))
              .withDefinitions(Flow.definition("F", A, skip()));
      Program program = Compiler.compile(whole);
      Recorder recorder =
          new Recorder(program, InOrder.INSTANCE, TraceLevel.FULL, Context.empty(), 0);

      assertThat(recorder.state().status())
          .as(name)
          .isEqualTo(odd.getOrDefault(name, Status.COMPLETED));
    });
  }
}
