package dev.damask.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.event.ProcessEvent;
import dev.damask.event.TraceEvent;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.StepOutcome;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Events about processes as data, and as the text that older versions have stored.
final class ProcessEventsTest {
  /// An event, the kind of trace event it belongs to, and its text in a store of format 4.
  record Case(ProcessEvent event, TraceEvent.Kind kind, String text) {}

  static Stream<Case> cases() {
    return Stream.of(
        new Case(
            new ProcessEvent.Spawned(7, 3, 1_600), TraceEvent.Kind.SPAWNED, "7 parent=3 due=1600"),
        new Case(
            new ProcessEvent.Spawned(1, 0, ProcessEvent.Spawned.NOT_TIMED),
            TraceEvent.Kind.SPAWNED,
            "1 parent=0"),
        new Case(
            new ProcessEvent.Evaluated(2, StepOutcome.INVALID),
            TraceEvent.Kind.EVALUATED,
            "2 invalid"),
        new Case(
            new ProcessEvent.Aborted(4, "by its rule"), TraceEvent.Kind.ABORTED, "4 by its rule"),
        new Case(new ProcessEvent.Sent(5, "{\"a\":1}"), TraceEvent.Kind.SENT, "5 {\"a\":1}"),
        new Case(new ProcessEvent.Sent(5, ""), TraceEvent.Kind.SENT, "5 "),
        new Case(new ProcessEvent.Awaits(12), TraceEvent.Kind.FORKED, "waits for 12"),
        new Case(new ProcessEvent.Joined(3, 12), TraceEvent.Kind.JOINED, "3 group=12"),
        new Case(new ProcessEvent.Received("a tag", 2), TraceEvent.Kind.SIGNALLED, "a tag 2"));
  }

  private static TraceEvent stored(TraceEvent.Kind kind, int token, String subject, String text) {
    return new TraceEvent(1, 9, kind, "SPAWN", token, -1, -1, 4, subject, "", text, null);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void an_event_survives_its_stored_form(Case each) {
    Encoder out = new Encoder();
    ProcessEvents.write(each.event, out);
    Decoder in = new Decoder(out.toBytes());

    assertThat(ProcessEvents.read(in)).isEqualTo(each.event);
    in.requireEnd();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void the_text_of_a_store_of_format_4_becomes_data_and_prints_as_before(Case each) {
    int token = each.kind == TraceEvent.Kind.SIGNALLED ? 0 : 3;
    TraceEvent old = stored(each.kind, token, "process.wake", each.text);

    TraceEvent read = FormatFour.event(old);

    assertThat(read.process()).isEqualTo(each.event);
    assertThat(read.detail()).isEqualTo(each.text);
  }

  @Test
  void a_woken_process_is_not_a_message() {
    TraceEvent old = stored(TraceEvent.Kind.SIGNALLED, 3, "A", "6 woken");

    assertThat(FormatFour.event(old).process()).isEqualTo(new ProcessEvent.Woken(6));
  }

  @Test
  void events_that_are_not_about_processes_stay_as_they_are() {
    for (TraceEvent each :
        List.of(
            stored(TraceEvent.Kind.FORKED, 1, "", "2 branches"),
            stored(TraceEvent.Kind.JOINED, 1, "", ""),
            stored(TraceEvent.Kind.SIGNALLED, 0, "approved", "x 1"),
            stored(TraceEvent.Kind.EVALUATED, 1, "A", "2 perhaps"),
            stored(TraceEvent.Kind.ENDED, 0, "", "COMPLETED"))) {
      assertThat(FormatFour.event(each)).isSameAs(each);
    }
  }

  @Test
  void nothing_is_stored_as_nothing_and_an_unknown_type_is_corrupt() {
    Encoder out = new Encoder();
    ProcessEvents.write(null, out);

    assertThat(ProcessEvents.read(new Decoder(out.toBytes()))).isNull();
    assertThatThrownBy(() -> ProcessEvents.read(new Decoder(new byte[] {9})))
        .isInstanceOf(Decoder.DamagedBytes.class);
  }

  @Test
  void the_progress_of_a_step_in_format_4_may_be_its_stage_alone() {
    assertThat(FormatFour.progress("READS")).isEqualTo(Map.of("stage", "READS"));
    assertThat(FormatFour.progress(Map.of("index", 1L))).isEqualTo(Map.of("index", 1L));
  }
}
