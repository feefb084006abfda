package dev.damask.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.damask.effect.EffectException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Where `http` may go, without going there.
final class EgressGuardTest {
  private static final String INSIDE = "10.1.2.3";
  private static final String OUTSIDE = "93.184.215.14";

  private static EgressGuard guard(String answer, String... hosts) {
    return EgressGuard.allowing(
        List.of(hosts), _ -> new InetAddress[] {InetAddress.ofLiteral(answer)});
  }

  private static String reason(EgressGuard guard, String url) {
    EffectException failed =
        catchThrowableOfType(EffectException.class, () -> guard.addresses(HttpTarget.parse(url)));
    return failed == null ? "allowed" : failed.reason();
  }

  @Test
  void nobody_is_called_unless_the_list_says_so() {
    assertThat(reason(guard(OUTSIDE), "https://api.example/")).isEqualTo(EgressGuard.REFUSED);
    assertThat(reason(guard(OUTSIDE, "api.example"), "https://api.example/")).isEqualTo("allowed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://api.example",
        "http://API.Example./x",
        "https://api.example:8443/?a=b#c",
      })
  void a_host_is_the_same_in_every_spelling(String url) {
    assertThat(reason(guard(OUTSIDE, "Api.Example."), url)).isEqualTo("allowed");
  }

  @Test
  void a_port_on_the_list_is_the_only_one() {
    EgressGuard guard = guard(OUTSIDE, "api.example:8443");

    assertThat(reason(guard, "https://api.example:8443/")).isEqualTo("allowed");
    assertThat(reason(guard, "https://api.example/")).isEqualTo(EgressGuard.REFUSED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1/",
        "http://0/",
        "http://0.0.0.0/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://127.0.0.01/",
        "http://0177.0.0.1/",
        "http://2130706433/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:7f00:1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[fd00::1]/",
        "http://localhost/",
        "http://localhost./",
        "http://LOCALHOST/",
        "http://api.example@127.0.0.1/",
        "http://api.example:80@127.0.0.1/",
        "http://user:word@api.example/",
        "http://127.0.0.1#@api.example/",
        "http://127.0.0.1\\@api.example/",
        "http://%31%32%37.0.0.1/",
        "http://api%2Eexample/",
        "http://api.example%00.evil/",
        "http://ⓛocalhost/",
        "http://１２７.0.0.1/",
        "http://127。0。0。1/",
        "http://api..example/",
        "http://.api.example/",
        "http://api.example../",
        "http://api.example:0/",
        "http://api.example:65536/",
        "http://api.example:-1/",
        "http://api.example:8 0/",
        "http:///etc/passwd",
        "http:api.example",
        "//api.example/",
        "file:///etc/passwd",
        "jar:http://api.example!/",
        "gopher://api.example/",
        "ftp://api.example/",
        "HTTP",
        "",
        " http://api.example/",
        "http://api.example/\r\nhost: evil",
      })
  void no_spelling_leads_anywhere_else(String url) {
    EgressGuard guard = guard(OUTSIDE, "api.example");

    assertThatThrownBy(() -> guard.addresses(HttpTarget.parse(url)))
        .isInstanceOf(EffectException.class)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("passwd", "word", "evil"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "192.0.0.8",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fec0::1",
        "fd12:3456::1",
        "ff02::1",
        "64:ff9b::a00:1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "2001::1",
        "2001:db8::1",
        "::ffff:10.0.0.1",
      })
  void a_name_that_resolves_to_an_address_inside_leads_nowhere(String address) {
    assertThat(reason(guard(address, "api.example"), "http://api.example/"))
        .isEqualTo(EgressGuard.REFUSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"93.184.215.14", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1"})
  void public_addresses_are_public(String address) {
    assertThat(reason(guard(address, "api.example"), "http://api.example/")).isEqualTo("allowed");
  }

  @Test
  void whoever_means_an_address_inside_lists_it() throws EffectException {
    assertThat(reason(guard(INSIDE, INSIDE), "http://10.1.2.3/")).isEqualTo("allowed");
    assertThat(reason(guard(INSIDE, "intra.example", INSIDE), "http://intra.example/"))
        .isEqualTo("allowed");
    assertThat(reason(guard("127.0.0.1", "localhost"), "http://localhost:99/"))
        .isEqualTo("allowed");
    assertThat(reason(guard(INSIDE, "localhost"), "http://localhost/"))
        .isEqualTo(EgressGuard.REFUSED);
    assertThat(reason(guard("::1", "[::1]:8080"), "http://[0:0:0:0:0:0:0:1]:8080/"))
        .isEqualTo("allowed");
    assertThat(reason(guard("::1", "::1"), "http://[::1]/")).isEqualTo("allowed");
  }

  @Test
  void of_several_addresses_only_the_public_ones_are_tried() throws EffectException {
    EgressGuard guard =
        EgressGuard.allowing(
            List.of("api.example"),
            _ ->
                new InetAddress[] {
                  InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral(OUTSIDE)
                });

    assertThat(guard.addresses(HttpTarget.parse("http://api.example/")))
        .containsExactly(InetAddress.ofLiteral(OUTSIDE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "*.example",
        "http://api.example",
        "api.example/",
        "a@b",
        "0x7f.1",
        "2130706433",
        "api.example:",
        "api.example:x",
        "api.example:0",
        "api.example:70000",
        "::ffff:127.0.0.1",
        "a b",
        "[::1"
      })
  void a_list_that_means_nothing_is_refused(String host) {
    assertThatThrownBy(() -> EgressGuard.allowing(List.of(host)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("HOST:PORT");
  }

  @Test
  void a_name_in_other_letters_is_listed_as_people_write_it() {
    assertThat(reason(guard(OUTSIDE, "bücher.example"), "http://xn--bcher-kva.example/"))
        .isEqualTo("allowed");
  }

  private static EgressGuard open(List<String> answers, String... hosts) {
    return EgressGuard.publicAnd(
        List.of(hosts),
        _ -> answers.stream().map(InetAddress::ofLiteral).toArray(InetAddress[]::new));
  }

  @Test
  void an_open_guard_lets_public_addresses_of_version_4_through_and_no_others() {
    assertThat(reason(open(List.of(OUTSIDE)), "https://api.example/")).isEqualTo("allowed");
    assertThat(reason(open(List.of()), "http://" + OUTSIDE + "/")).isEqualTo("allowed");
    assertThat(reason(open(List.of("2606:2800:21f::1")), "https://api.example/"))
        .isEqualTo(EgressGuard.REFUSED);
    assertThat(reason(open(List.of("::1")), "http://localhost/")).isEqualTo(EgressGuard.REFUSED);
    assertThat(reason(open(List.of("127.0.0.1")), "http://localhost/"))
        .isEqualTo(EgressGuard.REFUSED);
    assertThat(reason(open(List.of()), "http://" + INSIDE + "/")).isEqualTo(EgressGuard.REFUSED);
  }

  @Test
  void one_address_inside_spoils_a_name_for_an_open_guard() {
    EgressGuard rebinding = open(List.of(OUTSIDE, "127.0.0.1"));

    assertThatThrownBy(() -> rebinding.addresses(HttpTarget.parse("http://evil.example/")))
        .hasMessageContaining("private address");
    assertThat(reason(rebinding, "http://evil.example/")).isEqualTo(EgressGuard.REFUSED);
  }

  @Test
  void an_open_guard_calls_addresses_inside_that_are_listed() throws Exception {
    EgressGuard guard = open(List.of(INSIDE, OUTSIDE), INSIDE + ":8080");

    assertThat(guard.addresses(HttpTarget.parse("http://x.example:8080/"))).hasSize(2);
    assertThat(reason(guard, "http://" + INSIDE + ":8080/")).isEqualTo("allowed");
    assertThat(reason(guard, "http://" + INSIDE + "/")).isEqualTo(EgressGuard.REFUSED);
    assertThat(reason(open(List.of("127.0.0.1"), "localhost:80"), "http://localhost/"))
        .isEqualTo("allowed");
  }
}
