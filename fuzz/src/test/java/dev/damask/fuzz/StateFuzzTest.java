package dev.damask.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.damask.compile.Compiler;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.Migration;
import dev.damask.exec.StateCodec;
import dev.damask.program.Program;
import dev.damask.schedule.InOrder;
import dev.damask.term.Flow;
import dev.damask.term.InstancePolicy;
import dev.damask.term.Node;
import dev.damask.term.Place;
import dev.damask.term.ScopeOptions;
import dev.damask.term.Term;
import dev.damask.term.WorkflowDefinition;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/// States with a right header and checksum and a body that the fuzzer made: refused, or run, moved
/// and written like any other; at worst the machine stops this one case.
class StateFuzzTest {
  private static final Quickly QUICKLY = new Quickly();
  private static final int HEADER_BYTES = 17;
  private static final Machine MACHINE = machine();
  private static final byte[] START = StateCodec.encode(MACHINE.start(Context.empty(), 0));

  private static Machine machine() {
    Term undone =
        Flow.scope(
            "R",
            ScopeOptions.undoing(),
            Flow.effect("a").undo(Flow.effect("u")),
            Flow.effect("b").timeout(Duration.ofSeconds(5)));
    Term set = Flow.instances("m", InstancePolicy.fixed(2).opened(), Flow.effect("c"));
    Term wait =
        Flow.defer(
            Flow.taking("p", Flow.effect("d")), Flow.after(Duration.ofSeconds(3), Flow.call("D")));
    Term milestone =
        Flow.par(
            Flow.milestone("z", Flow.effect("g")),
            Flow.during("z", Flow.effect("h"), Flow.skip()),
            Flow.instances("o", InstancePolicy.fixed(1).openUntilClosed(), Flow.effect("i")),
            Flow.seq(Flow.effect("j"), Flow.emit("o.close"), Flow.breakOut("S")));
    Term graph =
        Flow.graph(
            Flow.toAll("x", "y"),
            Flow.node("x", Flow.effect("gx"), Flow.to("z")),
            Flow.node("y", Flow.effect("gy"), Flow.to("z")),
            Flow.node(
                "z", new Node.Join.Or(List.of("x", "y"), false), Flow.skip(), Flow.to("end")));
    WorkflowDefinition forms =
        Flow.workflow(
                "forms",
                Flow.scope(
                    "S",
                    ScopeOptions.undoing(),
                    Flow.par(
                        undone,
                        set,
                        wait,
                        Flow.repeat(3, Flow.effect("e")),
                        Flow.holding("H", "q", Flow.effect("f")),
                        Flow.call("D"),
                        milestone,
                        graph)))
            .withPlaces(Place.external("p"), Place.mutex("q"))
            .withDefinitions(Flow.definition("D", Flow.effect("inner")));
    Program program = Compiler.compile(forms);
    return new Machine(
        program, new Machine.Options(InOrder.INSTANCE, program.limits(), false, null));
  }

  /// A state of the case while it waits, as the corpus holds it: without header and checksum.
  static byte[] waiting() {
    ExecState state = MACHINE.start(Context.empty(), 0);
    MACHINE.run(state, 1_000);
    byte[] bytes = StateCodec.encode(state);
    return Arrays.copyOfRange(bytes, HEADER_BYTES, bytes.length - Integer.BYTES);
  }

  @FuzzTest
  void states(byte[] data) {
    ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES + data.length + Integer.BYTES);
    buffer.put(START, 0, HEADER_BYTES).put(data);
    CRC32C crc = new CRC32C();
    crc.update(buffer.array(), 0, buffer.position());
    buffer.putInt((int) crc.getValue());
    QUICKLY.run(() -> attempt(buffer.array()));
  }

  /// The corpus must hold a state that is accepted, or the fuzzer would only try the refusals.
  @Test
  void the_corpus_holds_a_state_as_the_machine_writes_it() throws IOException {
    Path file =
        Path.of("src/test/resources/dev/damask/fuzz/StateFuzzTestInputs/states/waiting.bin");
    if (Boolean.getBoolean("damask.write")) {
      Files.write(file, waiting());
    }

    assertThat(Files.readAllBytes(file)).isEqualTo(waiting());
  }

  private static void attempt(byte[] bytes) {
    ExecState state;
    try {
      state = StateCodec.decode(MACHINE, bytes);
    } catch (Decoder.DamagedBytes expected) {
      return;
    }
    try {
      Migration.plan(state, MACHINE, Mapping.NONE);
      MACHINE.run(state, 1_000);
      for (var request : state.pendingEffects()) {
        MACHINE.apply(state, new Input.TaskDone(request.token(), Context.empty()));
        MACHINE.run(state, 1_000);
      }
      MACHINE.apply(state, new Input.Kill("case", false));
      MACHINE.run(state, 1_000);
      StateCodec.encode(state);
    } catch (RuntimeException stopped) {
      if (!String.valueOf(stopped.getMessage()).matches("(?s)(broken invariant: )?I\\d+ .*")) {
        throw stopped;
      }
    }
  }
}
