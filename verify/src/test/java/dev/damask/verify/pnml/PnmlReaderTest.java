package dev.damask.verify.pnml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class PnmlReaderTest {
  private static PetriNet read(String text) {
    return PnmlReader.read("net", text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void pages_namespaces_names_weights_and_references_are_understood() {
    PetriNet net =
        read(
            """
            <?xml version="1.0"?>
            <pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
              <net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
                <name><text>order</text></name>
                <page id="one">
                  <place id="p"><name><text>start</text></name>
                    <initialMarking><text>2</text></initialMarking>
                    <toolspecific tool="x" version="1"><place id="ignored"/></toolspecific>
                    <graphics><position x="1" y="2"/></graphics>
                  </place>
                  <transition id="t"/>
                  <arc id="a" source="p" target="t"><inscription><text>2</text></inscription></arc>
                  <page id="two">
                    <referenceTransition id="rt" ref="t"/>
                    <place id="q"/>
                    <arc id="b" source="rt" target="q"/>
                  </page>
                </page>
              </net>
            </pnml>
            """);

    assertThat(net.name()).isEqualTo("order");
    assertThat(net.places()).extracting(PetriNet.Place::name).containsExactly("start", "q");
    assertThat(net.places().getFirst().tokens()).isEqualTo(2);
    assertThat(net.transitions().getFirst().inputs()).containsExactly(new PetriNet.Arc(0, 2));
    assertThat(net.transitions().getFirst().outputs()).containsExactly(new PetriNet.Arc(1, 1));
  }

  @Test
  void a_net_without_a_marking_starts_at_its_source() {
    PetriNet net =
        read(
            "<pnml><net id='n'><place id='p'/><place id='q'/><transition id='t'/><arc id='a'"
                + " source='p' target='t'/><arc id='b' source='t' target='q'/></net></pnml>");

    assertThat(net.places()).extracting(PetriNet.Place::tokens).containsExactly(1, 0);
  }

  @Test
  void document_types_and_entities_are_refused() {
    assertThatThrownBy(() -> read("<!DOCTYPE pnml [<!ENTITY x 'y'>]><pnml><net id='n'/></pnml>"))
        .isInstanceOf(PnmlProblem.class);
    assertThatThrownBy(() ->
            read(
                "<!DOCTYPE pnml [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>"
                    + "<pnml><net id='n'><name><text>&x;</text></name></net></pnml>"))
        .isInstanceOf(PnmlProblem.class);
  }

  @Test
  void what_is_wrong_comes_as_one_line() {
    assertThatThrownBy(() -> read("<pnml>"))
        .isInstanceOf(PnmlProblem.class)
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> read("<pnml/>")).hasMessageContaining("no <net>");
    assertThatThrownBy(() ->
            read(
                "<pnml><net id='n'><place id='p'/><arc id='a' source='p' target='x'/>"
                    + "</net></pnml>"))
        .hasMessageContaining("does not join a place and a transition");
    assertThatThrownBy(() -> read("<pnml><net id='n'><place id='p'/><place id='p'/></net></pnml>"))
        .hasMessageContaining("two nodes have the id 'p'");
  }
}
