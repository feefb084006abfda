package dev.damask.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.verify.Verdict;
import dev.damask.verify.Verifier;
import dev.damask.verify.pnml.PnmlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NetPictureTest {
  private static final String UNSAFE =
      """
      <pnml><net id="n"><page id="g">
      <place id="p"><initialMarking><text>1</text></initialMarking></place>
      <place id="l"/><place id="r"/><place id="q"/><place id="o"/>
      <transition id="fork"/><transition id="left"/><transition id="right"/><transition id="out"/>
      <arc id="1" source="p" target="fork"/><arc id="2" source="fork" target="l"/>
      <arc id="3" source="fork" target="r"/><arc id="4" source="l" target="left"/>
      <arc id="5" source="r" target="right"/><arc id="6" source="left" target="q"/>
      <arc id="7" source="right" target="q"/><arc id="8" source="q" target="out"/>
      <arc id="9" source="out" target="o"/>
      </page></net></pnml>
      """;

  @TempDir Path folder;

  @Test
  void a_counterexample_shows_its_steps_the_arcs_taken_and_the_tokens_at_the_end()
      throws IOException {
    Path file = Files.writeString(folder.resolve("unsafe.pnml"), UNSAFE);
    Verdict.Refuted verdict = (Verdict.Refuted) Verifier.check(PnmlReader.read(file));

    String plain = NetPicture.svg(file);
    String svg = NetPicture.svg(file, verdict.violations().getFirst());

    assertThat(svg.split("class=\"step-text\"", -1)).hasSize(1 + 3);
    assertThat(svg).containsPattern("class=\"token-text\"[^>]*>2<");
    assertThat(svg.split("class=\"token-text\"", -1)).hasSize(1 + 1);
    assertThat(plain).doesNotContain("class=\"taken\"");
    // start to p, p to fork, fork to l and r, from there to left and right, and both to q
    assertThat(svg.split("class=\"taken-tip\"", -1).length).isGreaterThanOrEqualTo(1 + 8);
  }
}
