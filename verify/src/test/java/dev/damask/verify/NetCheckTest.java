package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.damask.compile.Compiler;
import dev.damask.verify.Nets.Generator;
import dev.damask.verify.Nets.Generator.Fault;
import dev.damask.verify.pnml.PetriNet;
import dev.damask.verify.pnml.PnmlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NetCheckTest {
  private record Known(PetriNet net, String kind) {}

  private static List<Known> known() throws IOException {
    assumeTrue(Nets.folder().isPresent(), "the folder of nets is not here");
    Path folder = Nets.folder().orElseThrow();
    return Files.readAllLines(folder.resolve("verdicts.tsv")).stream()
        .skip(1)
        .map(line -> line.split("\t", -1))
        .map(row -> new Known(PnmlReader.read(folder.resolve(row[0])), row[2]))
        .toList();
  }

  @Test
  void all_nets_of_the_benchmark_get_their_verdict() throws IOException {
    List<Known> all = known();

    assertThat(all).hasSize(282);
    for (Known each : all) {
      Verdict verdict = Verifier.check(each.net());
      assertThat(Nets.kind(verdict)).as(each.net().name()).isEqualTo(each.kind());
    }
  }

  @Test
  void a_reduced_search_alone_decides_the_benchmark() throws IOException {
    int decided = 0;
    List<Known> all = known();
    for (Known each : all) {
      Options options = Options.DEFAULT.withReduction(Reduction.ALWAYS);
      String kind = Nets.kind(Verifier.check(each.net(), options));
      if (each.kind().equals("unsafe")) {
        assertThat(kind).as(each.net().name()).isIn("unsafe", "deadlock");
      } else {
        assertThat(kind).as(each.net().name()).isEqualTo(each.kind());
      }
      decided += kind.startsWith("unknown") ? 0 : 1;
    }

    assertThat(decided).isEqualTo(all.size());
  }

  @Test
  void a_net_and_the_workflow_it_is_lowered_to_agree() throws IOException {
    int compared = 0;
    for (Known each : known()) {
      var workflow = NetLowering.lower(each.net());
      boolean small =
          workflow.isPresent()
              && !each.kind().equals("unsafe")
              && each.net().transitions().size() < 60;
      if (!small) {
        continue;
      }
      Options options = Options.DEFAULT.withStates(20_000).withReduction(Reduction.ALWAYS);
      Verdict verdict = MachineCheck.check(Compiler.compile(workflow.get()), options);
      boolean deadlocks =
          verdict instanceof Verdict.Refuted(var violations, var scope, var statistics)
              && violations.getFirst().property() == Property.NO_DEADLOCK;
      assertThat(deadlocks).as(each.net().name()).isEqualTo(each.kind().equals("deadlock"));
      compared++;
    }

    System.out.println("net and workflow agree on " + compared + " nets");
    assertThat(compared).isGreaterThan(20);
  }

  @Test
  void large_free_choice_nets_are_decided() {
    for (Fault fault : Fault.values()) {
      for (long seed = 1; seed <= 3; seed++) {
        PetriNet net = new Generator(seed).net(12, 8, fault);

        Verdict verdict = Verifier.check(net, Options.DEFAULT.withReduction(Reduction.ALWAYS));

        String expected =
            switch (fault) {
              case NONE -> "sound";
              case DEADLOCK -> "deadlock";
              case UNSAFE -> "unsafe|deadlock";
            };
        assertThat(Nets.kind(verdict)).as(fault + " seed " + seed).matches(expected);
        assertThat(verdict.statistics().states()).isLessThan(100_000);
        assertThat(Verifier.check(net).word()).isEqualTo(verdict.word());
      }
    }
  }

  @Test
  void small_generated_nets_get_the_same_verdict_with_and_without_reduction() {
    for (Fault fault : Fault.values()) {
      for (long seed = 1; seed <= 200; seed++) {
        PetriNet net = new Generator(seed).net(2, 3, fault);

        Verdict full = Verifier.check(net, Options.DEFAULT.withReduction(Reduction.NONE));
        Verdict reduced = Verifier.check(net, Options.DEFAULT.withReduction(Reduction.ALWAYS));

        assertThat(reduced.word()).as(fault + " seed " + seed).isEqualTo(full.word());
      }
    }
  }
}
