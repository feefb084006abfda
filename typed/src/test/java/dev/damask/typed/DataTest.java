package dev.damask.typed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.Key;
import dev.damask.value.KeyType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Values of every type go into the bytes of a store and come back equal; anything else is one
/// sentence with its path.
final class DataTest {
  enum Colour {
    RED,
    GREEN
  }

  sealed interface Shape {
    record Circle(double radius) implements Shape {}

    record Square(double side, Optional<Shape> inside) implements Shape {}

    sealed interface Point extends Shape {
      record Origin() implements Point {}
    }
  }

  record Numbers(
      long l, int i, short s, byte b, double d, float f, boolean z, char c, Long boxed) {}

  record Times(
      Instant instant,
      LocalDate date,
      LocalDateTime local,
      OffsetDateTime offset,
      ZonedDateTime zoned,
      Duration duration) {}

  record Texts(String text, UUID uuid, URI uri, Colour colour, BigDecimal price, BigInteger big) {}

  record Holders(
      List<String> list,
      Set<Colour> set,
      Map<String, Long> map,
      Map<Colour, List<Integer>> byColour,
      Map<Integer, String> byNumber,
      Optional<String> some,
      Optional<String> none,
      Shape shape,
      @Nullable String maybe) {}

  @Test
  void equal_sets_have_the_same_stored_form_whatever_their_order() {
    BoundKey<Set<String>> texts = BoundKey.of(Key.of("texts", KeyType.of(Set.class, String.class)));
    BoundKey<Set<Line>> lines = BoundKey.of(Key.of("lines", KeyType.of(Set.class, Line.class)));
    List<Line> some =
        List.of(
            new Line("nut", LocalDate.of(2026, 1, 2)),
            new Line("bolt", LocalDate.of(2026, 1, 1)),
            new Line("nut", LocalDate.of(2026, 1, 1)));

    assertThat(texts.encode(new LinkedHashSet<>(List.of("b", "ä", "a"))))
        .isEqualTo(texts.encode(new LinkedHashSet<>(List.of("ä", "a", "b"))));
    assertThat(lines.encode(new LinkedHashSet<>(some)))
        .isEqualTo(lines.encode(new LinkedHashSet<>(some.reversed())));
    same(Key.of("lines", KeyType.of(Set.class, Line.class)), Set.copyOf(some));
  }

  record Page<T>(List<T> items, Optional<T> first) {}

  record Tree(String name, List<Tree> children) {}

  record Line(String article, LocalDate due) {}

  record Order(String customer, List<Line> lines) {}

  @SuppressWarnings("ArrayRecordComponent") // users may have such records
  record Arrays(int[] ints, byte[] bytes, String[] texts, double[][] matrix) {}

  /// Encodes, writes the bytes of a store, reads them and decodes.
  private static <T> T through(Key<T> key, T value) {
    BoundKey<T> bound = BoundKey.toWrite(key);
    Encoder out = new Encoder();
    out.context(Context.of(bound.entry(), bound.encode(value)));
    return bound.read(new Decoder(out.toBytes()).context());
  }

  private static <T> void same(Key<T> key, T value) {
    assertThat(through(key, value)).isEqualTo(value);
    BoundKey<T> bound = BoundKey.toWrite(key);
    assertThat(bound.read(Context.of(bound.entry(), bound.encode(value)))).isEqualTo(value);
  }

  @Test
  void every_type_comes_back_equal() {
    same(
        Key.of(Numbers.class),
        new Numbers(Long.MIN_VALUE, -7, (short) 8, (byte) -9, 0.1, 0.1f, true, 'ß', 12L));
    same(
        Key.of(Times.class),
        new Times(
            Instant.parse("2026-01-31T12:00:00.123456789Z"),
            LocalDate.of(2026, 2, 28),
            LocalDateTime.of(2026, 2, 28, 0, 0),
            OffsetDateTime.parse("2026-01-31T12:00:00+05:30"),
            ZonedDateTime.parse("2026-10-25T02:30:00+01:00[Europe/Berlin]"),
            Duration.ofNanos(1)));
    same(
        Key.of(Texts.class),
        new Texts(
            "",
            new UUID(1, 2),
            URI.create("https://example.org/?a=b"),
            Colour.GREEN,
            new BigDecimal("20.00"),
            BigInteger.TWO.pow(200)));
    same(
        Key.of(Holders.class),
        new Holders(
            List.of("a", "b"),
            Set.of(Colour.RED),
            Map.of("x", 1L),
            Map.of(Colour.RED, List.of(1, 2)),
            Map.of(7, "seven"),
            Optional.of("here"),
            Optional.empty(),
            new Shape.Square(2, Optional.of(new Shape.Circle(1))),
            null));
    same(Key.of(Shape.class), new Shape.Point.Origin());
    same(Key.of("price", BigDecimal.class), new BigDecimal("20.00"));
    same(Key.list("lines", Line.class), List.of(new Line("nut", LocalDate.of(2026, 1, 1))));
    same(Key.map("byName", Colour.class), Map.of("x", Colour.RED));
  }

  @Test
  void generic_and_recursive_records_are_mapped_by_their_component_types() {
    Key<Page<Line>> page = Key.of("page", KeyType.of(Page.class, Line.class));
    Line line = new Line("nut", LocalDate.of(2026, 1, 1));

    same(page, new Page<>(List.of(line), Optional.of(line)));
    same(Key.of(Tree.class), new Tree("a", List.of(new Tree("b", List.of()))));
  }

  @Test
  void arrays_are_copied_and_never_shared() {
    Key<Arrays> key = Key.of(Arrays.class);
    Arrays arrays =
        new Arrays(new int[] {1}, new byte[] {2}, new String[] {"c"}, new double[][] {{4}});
    BoundKey<Arrays> bound = BoundKey.of(key);
    Context context = Context.of("arrays", bound.encode(arrays));
    arrays.ints()[0] = 99;

    Arrays first = bound.read(context);
    first.texts()[0] = "changed";
    Arrays second = bound.read(context);

    assertThat(second.ints()).containsExactly(1);
    assertThat(second.bytes()).containsExactly(2);
    assertThat(second.texts()).containsExactly("c");
    assertThat(second.matrix()[0]).containsExactly(4);
  }

  @Test
  void a_list_that_its_owner_changes_later_does_not_change_the_case() {
    List<Line> lines = new ArrayList<>(List.of(new Line("nut", LocalDate.of(2026, 1, 1))));
    BoundKey<Order> bound = BoundKey.of(Key.of(Order.class));
    Context context = Context.of("order", bound.encode(new Order("acme", lines)));
    lines.clear();

    assertThat(bound.read(context).lines()).hasSize(1);
    assertThat(bound.read(context)).isSameAs(bound.read(context));
  }

  @Test
  void an_error_names_the_path_and_both_types() {
    BoundKey<Order> order = BoundKey.of(Key.of(Order.class));
    Map<String, Object> good = Map.of("article", "nut", "due", "2026-01-01");
    Map<String, Object> bad = Map.of("article", "nut", "due", "tomorrow");
    Context context =
        Context.of("order", Map.of("customer", "acme", "lines", List.of(good, good, bad)));

    assertThatThrownBy(() -> order.read(context))
        .hasMessage("order.lines[2].due: a LocalDate is expected, found the string \"tomorrow\"");
    assertThatThrownBy(() -> order.read(Context.of("order", 7)))
        .hasMessage("order: an Order is expected, found the integer 7");
    assertThatThrownBy(() -> order.read(Context.empty()))
        .hasMessage("order: missing; the case has no such entry");
  }

  @Test
  void null_is_refused_before_it_is_stored() {
    BoundKey<Order> order = BoundKey.of(Key.of(Order.class));

    assertThatThrownBy(() -> order.encode(new Order("acme", List.of(new Line("nut", nothing())))))
        .hasMessage("order.lines[0].due: null is not allowed; declare Optional<LocalDate>");
  }

  @SuppressWarnings("NullAway") // a caller without null checks
  private static LocalDate nothing() {
    return null;
  }

  record Old(String name) {}

  record New(
      String name,
      int count,
      Optional<String> note,
      List<String> tags,
      Map<String, String> labels,
      @Nullable String extra) {}

  record Strict(String name, LocalDate day) {}

  @Test
  void a_newer_record_reads_what_an_older_one_wrote() {
    Context old = Context.of("x", BoundKey.of(Key.of("x", Old.class)).encode(new Old("a")));

    New read = BoundKey.of(Key.of("x", New.class)).read(old);

    assertThat(read).isEqualTo(new New("a", 0, Optional.empty(), List.of(), Map.of(), null));
    assertThatThrownBy(() -> BoundKey.of(Key.of("x", Strict.class)).read(old))
        .hasMessage("x.day: missing; LocalDate has no default, so declare the component Optional");
  }

  @Test
  void components_that_a_record_does_not_know_stay_and_are_ignored() {
    Context stored = Context.of("x", Map.of("name", "a", "unknown", 7));

    assertThat(BoundKey.of(Key.of("x", Old.class)).read(stored)).isEqualTo(new Old("a"));
    assertThat(stored.get("x")).isEqualTo(Map.of("name", "a", "unknown", 7L));
  }

  /// A class of the user, mapped by [MoneyCodec].
  static final class Money {
    final long cents;

    Money(long cents) {
      this.cents = cents;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Money money && money.cents == cents;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(cents);
    }
  }

  record Bill(Money total) {}

  @Test
  void a_codec_of_the_user_maps_a_class_inside_records() {
    same(Key.of(Bill.class), new Bill(new Money(1999)));

    assertThatThrownBy(
            () -> BoundKey.of(Key.of(Bill.class)).read(Context.of("bill", Map.of("total", "much"))))
        .hasMessage("bill.total: no Money: found much");
    assertThatThrownBy(() -> BoundKey.of(Key.of(Bill.class)).encode(new Bill(new Money(-1))))
        .hasMessage("bill.total: the codec of Money fails: no debts");
  }

  record Alarm(LocalTime at) {}

  @Test
  void a_codec_of_the_user_maps_a_type_of_the_jdk() throws Exception {
    same(Key.of(Alarm.class), new Alarm(LocalTime.of(6, 30)));
    same(Key.of("at", LocalTime.class), LocalTime.of(6, 30));

    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
    try {
      same(Key.of(Clock.class), new Clock(Optional.of(LocalTime.of(6, 30))));
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  record Clock(Optional<LocalTime> at) {}

  enum Loud {
    QUIET;

    @Override
    public String toString() {
      return "sh!";
    }
  }

  @Test
  void an_error_lists_the_names_of_an_enum() {
    assertThatThrownBy(() -> BoundKey.of(Key.of(Loud.class)).read(Context.of("loud", "sh!")))
        .hasMessageContaining("(one of [QUIET])");
  }

  sealed interface Result<T, E> {
    record Good<T, E>(T value) implements Result<T, E> {}

    record Bad<E, T>(E error) implements Result<T, E> {}

    sealed interface Late<E> extends Result<Line, E> {
      record Never<E>(E why) implements Late<E> {}
    }

    record Empty() implements Result<String, String> {}
  }

  @Test
  void the_records_of_a_generic_sealed_interface_have_its_arguments() {
    Line line = new Line("nut", LocalDate.of(2026, 1, 1));
    Key<Result<Line, Colour>> key =
        Key.of("result", KeyType.of(Result.class, Line.class, Colour.class));

    same(key, new Result.Good<>(line));
    same(key, new Result.Bad<>(Colour.RED));
    same(key, new Result.Late.Never<>(Colour.GREEN));
  }

  @SuppressWarnings("ArrayRecordComponent") // users may have such records
  record Rows(List<Line>[] rows, byte[] bytes) {}

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
  void arrays_of_generic_types_and_missing_bytes_are_read() {
    Line line = new Line("nut", LocalDate.of(2026, 1, 1));
    Rows rows = new Rows(new List[] {List.of(line)}, new byte[] {1});

    assertThat(through(Key.of(Rows.class), rows).rows()[0]).containsExactly(line);
    assertThat(BoundKey.of(Key.of(Rows.class)).read(Context.of("rows", Map.of())).bytes())
        .isEmpty();
  }

  record Wrong(Thread thread) {}

  record Nested(Optional<Optional<String>> twice) {}

  @Test
  void a_type_that_cannot_be_stored_is_refused_with_the_component() {
    assertThatThrownBy(() -> BoundKey.of(Key.of(Wrong.class)))
        .hasMessage(
            "wrong.thread: java.lang.Thread cannot be stored; use a record, or provide a"
                + " ValueCodec for it");
    assertThatThrownBy(() -> BoundKey.of(Key.of(Nested.class)))
        .hasMessageContaining("nested.twice: Optional of Optional");
  }

  @Test
  void nesting_without_end_is_refused() {
    Tree tree = new Tree("leaf", List.of());
    for (int i = 0; i < 200; i++) {
      tree = new Tree("t", List.of(tree));
    }
    Tree deep = tree;
    for (int i = 0; i < 100_000; i++) {
      tree = new Tree("t", List.of(tree));
    }
    Tree deeper = tree;

    assertThatThrownBy(() -> BoundKey.of(Key.of(Tree.class)).encode(deep))
        .hasMessageContaining("nests deeper than 256");
    assertThatThrownBy(() -> BoundKey.of(Key.of(Tree.class)).encode(deeper))
        .hasMessage("tree: the value nests too deeply");
  }
}
