package dev.damask.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.source.Rejected;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Texts of plans that stand for sessions, actors and contracts; and which graph a plan means.
final class PlanReferencesTest {
  private static final String PLAN =
      """
      scenario: p
      graph:
        id: g
        structure:
          Arm: {rule: arm, onValid: {spawns: [Doc]}}
          Doc: {rule: doc}
      rules:
        arm: {payload: {}, onValid: {waitSec: 600}}
        doc: {payload: {to: {type: string, default: none}}, onValid: {payload: {to: "[to]"}}}
      actors: {alice: "0xa11ce", bob: "0xb0b"}
      contracts: {Desk: "0xde5c", arm: "0xa43"}
      """;

  @TempDir Path folder;

  private TestPlan read(String text) throws IOException {
    return TestPlan.read(Files.writeString(folder.resolve("plan.yaml"), PLAN + text));
  }

  private List<String> failures(String text) throws Exception {
    return read(text).run().failures().stream().map(PlanResult.Mismatch::toString).toList();
  }

  @Test
  void actors_and_contracts_stand_for_their_addresses_however_deep_and_rules_for_their_keys()
      throws Exception {
    String plan =
        """
        runtime:
          stepId: Doc
          owner: $actor.address:alice
          payload:
            to: $contract.address:plan:Desk
            price: $5
            deep: {list: [$actor.address:bob, {rule: "$contract.address:plan:doc"}, 3, null]}
            own: $contract.address:plan:arm
        expectations:
          timeline:
            - stepId: Doc
              inputAssertions:
                - {key: to, value: "0xde5c"}
                - {key: price, value: $5}
                - {key: deep, value: {list: ["0xb0b", {rule: doc}, 3, null]}}
                - {key: own, value: "0xa43"}
                - {key: to, value: "$contract.address:plan:Desk"}
        """;

    assertThat(failures(plan)).isEmpty();
  }

  @Test
  void who_may_wake_and_who_wakes_are_actors_or_owners_of_sessions() throws Exception {
    String plan =
        """
        runtime:
          stepId: Arm
          owner: $actor.address:alice
          wakeUp: {steps: {Doc: {rpc: [$actor.address:bob]}}}
        steps:
          - startSession: {session: second, owner: "$session.owner:main", stepId: Doc,
                           payload: {to: "$session.owner:main", ids: ["$session.id:main"]}}
          - assertSession:
              session: second
              timeline:
                - stepId: Doc
                  inputAssertions:
                    - {key: to, value: "0xa11ce"}
                    - {key: ids, value: [1]}
                    - {key: ids, op: contains, value: "$session.id:main"}
          - wake: {stepId: Doc, caller: "$actor.address:bob",
                   payload: {to: "$session.owner:second"}}
        expectations:
          finalStatuses: [completed]
          result: [{key: to, value: "$actor.address:alice"}]
        """;

    assertThat(failures(plan)).isEmpty();
    assertThat(failures(plan.replace("caller: \"$actor.address:bob\"", "caller: bob")))
        .singleElement()
        .asString()
        .contains("bob may not wake step Doc");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          payload: {a: $actor.address:bop} | runtime.payload.a: there is no actor 'bop', did you
          payload: {a: [{b: $actor.address:zoe}]} | runtime.payload.a[0].b: there is no actor 'zoe'
          payload: {a: $contract.address:plan:Dest} | no contract 'Dest', did you mean 'Desk'
          payload: {a: $contract.address:Desk} | '$contract.address:Desk' is not a reference; use
          payload: {a: $actor.adress:bob} | $session.id:NAME, $session.owner:NAME, $actor.address:
          payload: {a: $session.id:main} | no session 'main', no session has been started yet
          owner: $session.id:main | runtime.owner: $session.id:main is a number
          owner: $actor.address:eve | runtime.owner: there is no actor 'eve'
          wakeUp: {default: {rpc: [$actor.address:eve]}} | runtime.wakeUp.default.rpc[0]: there
          """)
  void a_name_that_is_not_known_is_said_with_its_place(String field, String message) {
    assertThatThrownBy(() -> read("runtime:\n  stepId: Arm\n  " + field))
        .isInstanceOf(Rejected.class)
        .hasMessageContaining("plan.yaml")
        .hasMessageContaining(message);
  }

  @Test
  void a_plan_without_actors_is_told_how_to_name_one() {
    String without = PLAN.replaceAll("(?m)^actors.*$", "");
    Path file = folder.resolve("plan.yaml");

    assertThatThrownBy(() ->
            TestPlan.read(
                Files.writeString(
                    file, without + "runtime: {stepId: Arm, owner: \"$actor.address:eve\"}")))
        .hasMessageContaining("the plan has no 'actors: {eve: …}'");
    assertThatThrownBy(() ->
            TestPlan.read(
                Files.writeString(
                    file, without + "actors: {eve: \"$actor.address:a\"}\nruntime: {stepId: Arm}")))
        .hasMessageContaining("at actors.eve: an address must be a string without references");
  }

  @Test
  void a_plan_may_say_which_graph_it_means() throws Exception {
    assertThat(failures("runtime: {stepId: Doc, ostcId: g}")).isEmpty();
    assertThat(failures("runtime: {stepId: Doc, ostcId: order}"))
        .singleElement()
        .asString()
        .startsWith("step 1: ")
        .contains("the graph of the plan is 'g', not 'order'");
  }

  @Test
  void how_often_somebody_looks_changes_nothing() throws Exception {
    String plan = "runtime: {stepId: Arm}\nsteps:\n  - waitForStep: {stepId: Doc, status: done, ";

    assertThat(failures(plan + "timeoutMs: 600000, pollMs: 900000}")).isEmpty();
    assertThatThrownBy(() -> read(plan + "timeoutMs: 600000, pollMs: 0}"))
        .hasMessageContaining("at steps[0].waitForStep.pollMs: expected an integer from 1");
  }
}
