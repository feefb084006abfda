package dev.damask.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.event.ProcessEvent;
import dev.damask.event.TraceEvent;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.StepResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The stored form of traces.
final class TraceCodecTest {
  private static TraceEvent event(long step, TraceEvent.Kind kind) {
    return new TraceEvent(
        step, step * 7, kind, "SPAWN", 3, -1, 7, 2, "A", "2.1", "1 parent=0", null);
  }

  private static TraceEvent evaluated(long step, String rule, StepResult.Note note) {
    TraceEvent.Evaluation evaluation =
        new TraceEvent.Evaluation(Context.of("n", step, "text", "ü"), step * 1_000, note);
    TraceEvent.Kind kind = TraceEvent.Kind.EVALUATED;
    return new TraceEvent(step, 0, kind, rule, 3, -1, 7, 2, "A", "", "1 valid", evaluation);
  }

  @Test
  void a_part_tells_when_it_was_committed_and_the_whole_is_its_parts_in_order() {
    TraceEvent made = event(1, TraceEvent.Kind.SPAWNED);
    TraceEvent judged = event(2, TraceEvent.Kind.EVALUATED);
    TraceEvent gone = event(9, TraceEvent.Kind.ABORTED);
    List<byte[]> stored =
        List.of(
            TraceCodec.encode(1_000_000, List.of(made, judged)),
            TraceCodec.encode(-5, List.of(gone)));

    assertThat(TraceCodec.parts(stored))
        .containsExactly(
            new TracePart(1_000_000, List.of(made, judged)), new TracePart(-5, List.of(gone)));
    assertThat(TraceCodec.decode(stored)).containsExactly(made, judged, gone);
  }

  @Test
  void a_part_of_the_second_version_has_its_process_events_as_data() {
    Encoder out = new Encoder();
    out.whole(-1);
    out.natural(2);
    out.whole(1_000_000); // the time of the commit
    out.natural(1);
    out.natural(4); // the step
    out.whole(5); // after the commit
    out.octet(TraceEvent.Kind.SPAWNED.number());
    out.natural(1); // the first rule: its text follows
    out.text("SPAWN");
    out.whole(3);
    out.whole(-1);
    out.whole(7);
    out.whole(2);
    out.text("A");
    out.text("");
    out.text("1 parent=0 due=99");

    TraceEvent event = TraceCodec.decode(List.of(out.toBytes())).getFirst();

    assertThat(event.process()).isEqualTo(new ProcessEvent.Spawned(1, 0, 99));
    assertThat(event.detail()).isEqualTo("1 parent=0 due=99");
    assertThat(event.atMillis()).isEqualTo(1_000_005);
  }

  @Test
  void process_events_are_stored_as_data() {
    TraceEvent event =
        new TraceEvent(
            1,
            7,
            TraceEvent.Kind.ABORTED,
            "PROCESS-ABORT",
            3,
            -1,
            7,
            2,
            "A",
            "",
            "",
            null,
            new ProcessEvent.Aborted(4, "its join cannot be fulfilled"));

    assertThat(TraceCodec.decode(List.of(TraceCodec.encode(9, List.of(event)))))
        .containsExactly(event);
  }

  @Test
  void a_part_of_the_first_format_gives_its_events_the_time_of_the_commit() {
    Encoder out = new Encoder();
    out.whole(1_000_000); // the time of the commit
    out.natural(1);
    out.natural(4); // the step
    out.octet(TraceEvent.Kind.ENDED.ordinal());
    out.natural(1); // the first rule: its text follows
    out.text("END");
    out.whole(0);
    out.whole(-1);
    out.whole(-1);
    out.whole(0);
    out.text("");
    out.text("");
    out.text("COMPLETED");

    List<TracePart> parts = TraceCodec.parts(List.of(out.toBytes()));

    TraceEvent.Kind kind = TraceEvent.Kind.ENDED;
    assertThat(parts.getFirst().atMillis()).isEqualTo(1_000_000);
    assertThat(parts.getFirst().events())
        .containsExactly(
            new TraceEvent(4, 1_000_000, kind, "END", 0, -1, -1, 0, "", "", "COMPLETED", null));
  }

  @Test
  void what_was_evaluated_is_written_once_in_each_part() {
    List<TraceEvent> events = new ArrayList<>();
    String longest = "{\"rule\":\"" + "r".repeat(1_000) + "\"}";
    for (int i = 0; i < 300; i++) {
      String origin = i % 3 == 0 ? longest : i % 3 == 1 ? "" : "rule " + i; // more than are shared
      events.add(evaluated(i, "R" + i % 70, new StepResult.Note(origin, i % 5 == 0 ? "{}" : "")));
    }

    byte[] part = TraceCodec.encode(5, events);

    assertThat(TraceCodec.decode(List.of(part))).isEqualTo(events);
    assertThat(part.length).isLessThan(300 * 50);
    assertThat(TraceCodec.decode(List.of(part, part))).hasSize(600);
  }

  @Test
  void equal_traces_have_equal_bytes_whoever_made_their_texts() {
    StepResult.Note note = new StepResult.Note("{\"rule\":1}", "");
    StepResult.Note same = new StepResult.Note(new String("{\"rule\":1}".toCharArray()), "");
    List<TraceEvent> one = List.of(evaluated(1, "R", note), evaluated(2, "R", note));
    List<TraceEvent> other = List.of(evaluated(1, "R", note), evaluated(2, "R", same));

    assertThat(TraceCodec.encode(5, one)).isEqualTo(TraceCodec.encode(5, other));
  }

  @Test
  void nothing_is_stored_of_a_commit_that_traced_nothing() {
    assertThat(TraceCodec.encode(1_000_000, List.of())).isEmpty();
  }

  @Test
  void a_part_that_was_cut_off_is_refused() {
    byte[] whole = TraceCodec.encode(1_000_000, List.of(event(1, TraceEvent.Kind.SPAWNED)));
    List<byte[]> cut = List.of(Arrays.copyOf(whole, whole.length - 1));

    assertThatThrownBy(() -> TraceCodec.parts(cut)).isInstanceOf(Decoder.DamagedBytes.class);
  }
}
