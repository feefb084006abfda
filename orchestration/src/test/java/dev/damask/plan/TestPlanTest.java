package dev.damask.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.document.ContextReader;
import dev.damask.source.Rejected;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Plans: what they see, and what they say when it is absent.
final class TestPlanTest {
  private static final String GRAPH =
      """
      {"id": "g", "structure": {
        "Arm": {"rule": "arm", "onValid": {"spawns": ["Doc"]}},
        "Doc": {"rule": "doc", "onValid": {"spawns": ["End"]}, "onInvalid": {"spawns": ["Arm"]}},
        "Bell": {"rule": "bell"},
        "End": {"rule": "end"}}}
      """;

  private static final String ARM =
      """
      {"payload": {"n": {"type": "int64", "default": 0}},
       "onValid": {"payload": {"n": "([n] + 1)"}, "waitSec": 600}}
      """;

  private static final String DOC =
      """
      {"payload": {"n": {"type": "int64"}, "Hash": {"type": "string", "default": "none"}},
       "contractReads": [{"to": "store", "function": "limit()", "args": [],
                          "saveAs": {"0": {"key": "limit", "type": "int64", "default": 1}}}],
       "rules": ["[Hash] != 'none' || [n] > [limit]"],
       "onValid": {"payload": {"n": "[n]", "got": "[Hash]"},
                   "execution": {"to": "box", "function": "keep(string)",
                                 "args": [{"type": "string", "value": "[Hash]"}]}},
       "onInvalid": {"payload": {"n": "[n]"}}}
      """;

  private static final String BELL =
      """
      {"payload": {"to": {"type": "int64"}, "who": {"type": "string"}},
       "onValid": {"payload": {"Hash": "rung"}, "wakeUps": [
          {"runner": "[who]", "sessionId": "[to]", "stepId": "Doc"}]}}
      """;

  private static final String END =
      """
      {"payload": {"n": {"type": "int64"}, "got": {"type": "string"}},
       "onValid": {"payload": {"n": "[n]", "got": "[got]"}}}
      """;

  private static final Path PLANS = Path.of("src", "test", "resources", "plans");

  @TempDir Path folder;

  @BeforeEach
  void files() throws IOException {
    Files.createDirectory(folder.resolve("rules"));
    Files.writeString(folder.resolve("graph.json"), GRAPH);
    Files.writeString(folder.resolve("rules/arm.json"), ARM);
    Files.writeString(folder.resolve("rules/doc.json"), DOC);
    Files.writeString(folder.resolve("rules/bell.json"), BELL);
    Files.writeString(folder.resolve("rules/end.json"), END);
  }

  private TestPlan read(String text) throws IOException {
    Path file = folder.resolve("plan.yaml");
    return TestPlan.read(Files.writeString(file, "scenario: p\ngraph: graph.json\n" + text));
  }

  private List<String> failures(String text) throws Exception {
    return read(text).run().failures().stream().map(PlanResult.Mismatch::toString).toList();
  }

  private static Stream<Path> below(Path folder, String ending) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(ending)).sorted().toList().stream();
    }
  }

  static Stream<Path> plans() throws IOException {
    Stream<Path> examples =
        below(Path.of("..", "examples"), ".scenario.yaml")
            .filter(file -> Files.exists(file.resolveSibling("graph.json")));
    return Stream.concat(examples, below(PLANS, ".scenario.yaml"));
  }

  static Stream<Path> refused() throws IOException {
    return below(PLANS, ".refused.yaml");
  }

  @ParameterizedTest
  @MethodSource("plans")
  void every_plan_passes(Path file) throws Exception {
    PlanResult result = TestPlan.read(file).run();

    assertThat(result.failures()).as(String.join("\n", result.story())).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("refused")
  void a_join_that_can_never_be_fulfilled_is_refused_when_it_is_loaded(Path file) {
    assertThatThrownBy(() -> TestPlan.read(file))
        .isInstanceOf(Rejected.class)
        .hasMessageContaining("JOIN_UNFULFILLABLE");
  }

  @Test
  void every_worked_example_and_every_example_of_the_base_text_has_its_plan() throws IOException {
    List<String> names = Stream.concat(plans(), refused()).map(TestPlanTest::name).toList();

    assertThat(names)
        .contains("E1", "E2", "E2-own-group", "E3", "E4", "E4-hard", "E5", "E6", "E6-time-out")
        .contains("E7", "E7-exceeded", "X1", "X2", "X3", "X4", "X5", "X6", "seed-4", "seed-6.1")
        .contains("seed-7.4", "seed-7.4-pitfall", "seed-8.4", "seed-10.1", "seed-13");
  }

  private static String name(Path file) {
    return String.valueOf(new ContextReader().read(file).get("scenario"));
  }

  @Test
  void reads_executions_waits_and_loops_are_played() throws Exception {
    String plan =
        """
        stubs: {reads: {limit: [[2]]}, executions: {keep: [{}]}}
        runtime: {stepId: Arm}
        steps:
          - waitForStep: {stepId: Doc, status: done, timeoutMs: 600000}
          - waitForStep: {stepId: End, status: done, timeoutMs: 1800000}
        expectations:
          timeline:
            - {stepId: Arm, times: 3}
            - {stepId: Doc, valid: false, contractReadAssertions: [{key: limit, value: 2}]}
            - {stepId: Arm, occurrence: 2}
            - {stepId: Doc, occurrence: 3, valid: true, status: done}
            - {stepId: Doc, occurrence: 4, exist: false}
          never: [Bell]
          finalStep: End
          result: [{key: n, value: 3}, {key: got, op: regex, value: ^no}, {key: x, op: missing}]
        """;

    assertThat(failures(plan)).isEmpty();
  }

  @Test
  void sessions_refer_to_each_other() throws Exception {
    String plan =
        """
        stubs: {executions: {keep: [{revert: full}]}}
        runtime: {stepId: Arm, owner: eve, wakeUp: {default: {internal: [bob]}}}
        steps:
          - startSession: {session: bell, owner: bob, stepId: Bell,
                           payload: {to: "$session.id:main", who: "$session.owner:main"}}
          - assertSession: {session: bell, finalStatuses: [completed]}
          - pause: main
          - advance: 600000
          - assertSession: {timeline: [{stepId: Arm, times: 2}]}
          - resume: main
          - kill: main
        expectations:
          finalStatuses: [cancelled]
          timeline: [{stepId: Doc, valid: false, inputAssertions: [{key: Hash, value: rung}]}]
        """;

    assertThat(failures(plan)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          timeline: [{stepId: End}] | expected End, found End never
          timeline: [{stepId: Arm, valid: false}] | expected Arm invalid, found Arm valid
          timeline: [{stepId: Arm, times: 2}] | expected Arm 2 times, found Arm 1 times
          timeline: [{stepId: Arm, occurrence: 2}] | expected Arm #2, found Arm only 1 times
          timeline: [{stepId: Arm, exist: false}] | expected Arm absent, found Arm 1 times
          timeline: [{stepId: Doc, status: done}] | expected Doc done, found Doc waiting
          timeline: [{stepId: Arm}, {stepId: Arm}] | found Arm before a step that must precede it
          timeline: [{stepId: Arm, outputAssertions: [{key: n, value: 7}]}] | Arm output {"n":1.0}
          timeline: [{mode: anyOf, alternatives: [{stepId: End}, {stepId: Bell}]}] | any of End
          never: [Arm] | expected Arm never, found Arm 1 times
          finalStatuses: [completed] | expected status completed, found waiting
          finalStep: End | expected final step End, found Arm
          result: [{key: n, op: exists}] | expected result n exists, found {}
          """)
  void what_is_not_so_is_said(String expectation, String message) throws Exception {
    List<String> failures = failures("runtime: {stepId: Arm}\nexpectations: {" + expectation + "}");

    assertThat(failures).singleElement().asString().startsWith("at the end: ").contains(message);
  }

  @Test
  void a_step_that_cannot_be_done_ends_the_plan() throws Exception {
    String plan = "runtime: {stepId: Arm}\nsteps:\n";

    assertThat(failures(plan + "  - wake: {stepId: End}"))
        .singleElement()
        .asString()
        .startsWith("step 2: ")
        .contains("0 were waiting there");
    assertThat(failures(plan + "  - wake: {stepId: Doc, caller: bob}"))
        .singleElement()
        .asString()
        .contains("bob may not wake step Doc");
    assertThat(failures(plan + "  - waitForStep: {stepId: End, timeoutMs: 10}"))
        .singleElement()
        .asString()
        .contains("no process was waiting at step End in time");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          runtim: {} | 'runtim' is unknown; did you mean 'runtime'
          runtime: {stepId: Arn} | at runtime.stepId: there is no 'Arn', did you mean 'Arm'
          title: x | no session is started
          runtime: {stepId: Arm, payload: 3} | at runtime.payload: expected an object, found 3
          steps: [{wait: 3}] | at steps[0]: expected one action of startSession, waitForStep
          steps: [{pause: main}] | at steps[0].pause: there is no 'main'
          runtime: {stepId: Arm, maxTotalGas: -1} | at runtime.maxTotalGas: expected an integer
          """)
  void a_plan_that_cannot_be_read_says_where(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(Rejected.class)
        .hasMessageContaining("plan.yaml")
        .hasMessageContaining(message);
  }

  @Test
  @Timeout(20)
  void a_pattern_takes_a_time_in_proportion_to_the_value() {
    var repeated = new PlanAssertion("k", PlanAssertion.Operator.REGEX, "^(a+)+$");

    assertThat(repeated.holds("a".repeat(5_000) + "b")).isFalse();
    assertThat(repeated.holds("a".repeat(5_000))).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          timeline: [{mode: some}] | at expectations.timeline[0].mode: there is no 'some'
          timeline: [{}] | 'alternatives' is missing or empty
          timeline: [{stepId: Arm, valid: 1}] | timeline[0].valid: expected true or false, found 1
          result: [{key: a, op: regex, value: "("}] | not a regular expression
          result: [{key: a, op: regex, value: '(?=a)b'}] | not a regular expression
          result: [{key: a, op: regex, value: '((a{100}){100}){100}'}] | repetitions expanded
          result: [{key: a, op: eq}] | eq requires 'value'
          result: [{key: a, op: exists, value: 1}] | exists does not allow 'value'
          finalStatuses: [over] | there is no 'over'
          """)
  void an_expectation_that_cannot_be_read_says_where(String text, String message) {
    assertThatThrownBy(() -> read("runtime: {stepId: Arm}\nexpectations: {" + text + "}"))
        .isInstanceOf(Rejected.class)
        .hasMessageContaining(message);
  }
}
